import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A user with credentials whose account users-service has not confirmed yet. */
@Entity('new_people')
export class PendingAccount {
  @PrimaryColumn({ name: 'user_id', type: 'bigint' })
  userId: string;

  @Column({ type: 'text' })
  username: string;

  @Column({ name: 'first_name', type: 'text' })
  firstName: string;

  @Column({ name: 'last_name', type: 'text' })
  lastName: string;

  @Column({ type: 'text' })
  email: string;

  /** Microseconds since 1970. */
  @Column({ name: 'proven_at_us', type: 'bigint' })
  provenAtUs: string;
}
