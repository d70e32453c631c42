import type { AddressKind } from '@settle/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigintAsNumber } from './bigint-as-number.js';

/** An address and its owner: the user who verified it last. */
@Entity('proven_addresses')
export class VerifiedAddressRow {
  @PrimaryColumn('text')
  kind: AddressKind;

  /** E-mails in lower case, phones in E.164. */
  @PrimaryColumn('text')
  value: string;

  @Column('bigint', { name: 'user_id' })
  userId: string;

  /** Microseconds since 1970. */
  @Column('bigint', { name: 'proven_at_us', transformer: bigintAsNumber })
  provenAtUs: number;
}
