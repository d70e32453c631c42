import type {
  ProviderCharge,
  ProviderChange,
  ProviderPayout,
  ProviderRepayment,
  ProviderReversal,
  ProviderSource,
} from '@settle/provider-api';

/** The only currency of the books. The provider is another company: it knows the interface alone, and nothing of Settle's contracts. */
export const CURRENCY = 'USD';

export type ObjectKind = ProviderChange['kind'];
export type ProviderObject = ProviderCharge | ProviderRepayment | ProviderPayout | ProviderReversal | ProviderSource;

/** The fields that only a source has. */
export interface SourceDetails {
  readonly user: string;
  readonly ownerName: string;
  readonly wantsCharges: boolean;
  readonly wantsPayouts: boolean;
  readonly returnUrl: string;
  /** The number of the test card; null until the user has entered it. No other number is ever stored. */
  readonly cardNumber: string | null;
  readonly fingerprint: string | null;
}

/** One row of the table `objects`. */
export interface BookObject {
  readonly kind: ObjectKind;
  /** Chosen by Settle; of a reversal the provider's id. */
  readonly key: string;
  /** The provider's own id. Also in the address of a page of the object, so that it cannot be guessed. */
  readonly id: string;
  readonly state: string;
  /** Null: a source. */
  readonly amountCents: number | null;
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly code: ProviderCharge['code'];
  /** Until when the user can do something on the object's page; null: there is nothing to do. */
  readonly actionExpiresAt: Date | null;
  /** The content that a request for the same key must repeat; null: a reversal, which no request made. */
  readonly content: string | null;
  /** The charge of a repayment or a reversal; null: another kind. */
  readonly chargeKey: string | null;
  /** The test card by which a charge, repayment or payout behaves; null: its source cannot be used. */
  readonly cardNumber: string | null;
  readonly source: SourceDetails | null;
}

/** Columns of a row of the table `objects`. */
export interface ObjectRow {
  readonly kind: ObjectKind;
  readonly key: string;
  readonly id: string;
  readonly state: string;
  readonly amount_cents: string | null;
  readonly version: number;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly code: string | null;
  readonly action_expires_at: Date | null;
  readonly content: string | null;
  readonly charge_key: string | null;
  readonly details: Pick<BookObject, 'cardNumber' | 'source'>;
}

/** Returns the object of a row. */
export function readRow(row: ObjectRow): BookObject {
  const { kind, key, id, state, version, content } = row;
  return {
    ...{ kind, key, id, state, version, content },
    amountCents: row.amount_cents === null ? null : Number(row.amount_cents),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    code: row.code as BookObject['code'],
    actionExpiresAt: row.action_expires_at,
    chargeKey: row.charge_key,
    ...row.details,
  };
}
