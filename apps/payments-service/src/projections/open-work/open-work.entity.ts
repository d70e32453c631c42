import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** What has been left over or will fall due: which payment, what is to be done, whose wallet it concerns, since when. */
@Entity({ name: 'open_work' })
@Index('open_work_of_act', ['act', 'since_us'])
export class OpenWorkRow {
  @PrimaryColumn('bigint')
  payment_id: string;

  @PrimaryColumn('text')
  act: string;

  @Column('bigint')
  owner_id: string;

  @Column('bigint')
  since_us: string;
}
