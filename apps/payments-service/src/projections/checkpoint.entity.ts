import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How far a projection has read; moved in the same transaction as its rows. */
@Entity({ name: 'checkpoints' })
export class CheckpointRow {
  @PrimaryColumn('text')
  name: string;

  @Column('bigint')
  position: string;

  /** Of the lease whose holder may move it. */
  @Column('bigint')
  fence: string;
}
