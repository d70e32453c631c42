import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * The journal of the wallets: one line for every event of a wallet, those that move nothing included, so that a
 * wallet is complete here up to its highest revision.
 */
@Entity({ name: 'ledger_entries' })
@Index('ledger_entries_of_payment', ['payment_id'])
export class LedgerEntryRow {
  @PrimaryColumn('bigint')
  wallet_id: string;

  @PrimaryColumn('int')
  revision: number;

  @Column('bigint', { nullable: true })
  payment_id: string | null;

  @Column('text')
  event_type: string;

  @Column('text')
  debit_account: string;

  @Column('text')
  credit_account: string;

  @Column('bigint')
  amount_cents: string;

  /** Of the wallet, after the line. */
  @Column('bigint')
  balance_cents: string;

  @Column('int', { nullable: true })
  attempt: number | null;

  @Column('text', { nullable: true })
  source_id: string | null;
}

/** The journal of the fees: what each settled payment left with the operator. */
@Entity({ name: 'fee_entries' })
export class FeeEntryRow {
  @PrimaryColumn('bigint')
  payment_id: string;

  @Column('text')
  debit_account: string;

  @Column('text')
  credit_account: string;

  @Column('bigint')
  amount_cents: string;
}
