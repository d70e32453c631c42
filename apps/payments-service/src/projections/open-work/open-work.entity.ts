import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** What has been left over or falls due: which payment, what is to be done, whose wallet it concerns. */
@Entity({ name: 'open_work' })
@Index('open_work_due', ['due_us'])
export class OpenWorkRow {
  @PrimaryColumn('bigint')
  payment_id: string;

  @PrimaryColumn('text')
  act: string;

  @Column('bigint')
  owner_id: string;

  @Column('bigint')
  due_us: string;
}
