import {
  CENTS,
  CURRENCY_FIELD,
  EVENT_ID,
  ID_OR_NULL,
  POSITION,
  REVISION,
  SCHEMA_VERSION_1,
  TIME,
  openEnum,
  type EventFields,
  type EventWith,
} from './public-event-fields.js';
import type { PublicEventType } from './public-event-table.js';

/** Kinds of movements of money, by what caused them. */
const MOVEMENTS = [
  'deposit',
  'funding_charge',
  'repayment',
  'repayment_return',
  'payment_debit',
  'payment_credit',
  'payment_return',
  'fee',
  'withdrawal',
  'withdrawal_return',
  'payout',
  'reversal',
  'reversal_return',
] as const;

/** The kind of a movement of money. */
export type Movement = (typeof MOVEMENTS)[number];

const ACCOUNT = { type: 'string', pattern: '^[a-z]+(?::[0-9A-Za-z:._-]{1,200})?$', privacy: 'pseudonym' } as const;
const FUNDING_ID_OR_NULL = { type: ['string', 'null'], pattern: '^[0-9A-Za-z:._-]{1,200}$' } as const;

const FIELDS = {
  eventId: EVENT_ID,
  type: {
    description: 'Always the same.',
    type: 'string',
    const: 'LedgerEntryPosted',
    examples: ['LedgerEntryPosted'],
  },
  schemaVersion: SCHEMA_VERSION_1,
  position: {
    description: 'Where the movement stands among all events of the ledger: sorted by it, everything is in order.',
    ...POSITION,
    examples: [48213],
  },
  revision: {
    description: "The movement's place among the events of its key, ascending, with gaps where no money moved.",
    ...REVISION,
    examples: [3],
  },
  occurredAt: {
    ...TIME,
    description: 'When the money moved, in UTC, to the microsecond.',
    examples: ['2026-11-21T09:30:00.250001Z'],
  },
  movement: {
    description:
      '`deposit`: money from a funding source, without a payment. `funding_charge`: money from a funding source for a ' +
      'payment. `repayment`: a deposit or a charge goes back to its source; `repayment_return`: it could not. ' +
      "`payment_debit`: the payer's amount and fee leave the wallet. `payment_credit`: the payee gets the amount. " +
      '`payment_return`: amount and fee go back to the payer. `fee`: the fee of a settled payment. `withdrawal`: money ' +
      'leaves the wallet for a payout; `withdrawal_return`: it comes back. `payout`: the withdrawal was paid out. ' +
      '`reversal`: a dispute takes a charge back; `reversal_return`: the dispute was won.',
    ...openEnum(MOVEMENTS),
    examples: ['payment_debit', 'deposit'],
  },
  debitAccount: {
    ...ACCOUNT,
    description:
      'The account that the money leaves: `wallet:<user>`, `transit:<payment>`, `payouts:<withdrawal>`, `funding:<user>` ' +
      'or `fees`.',
    examples: ['wallet:1852942301724180481', 'fees'],
  },
  creditAccount: {
    ...ACCOUNT,
    description: 'The account that the money reaches.',
    examples: ['transit:2235351801266466090'],
  },
  amountCents: {
    ...CENTS,
    minimum: 1,
    description: 'How much moves, in hundredths of the currency.',
    examples: [1281],
  },
  currency: CURRENCY_FIELD,
  paymentId: {
    ...ID_OR_NULL,
    description: 'The payment for which the money moved; null for deposits and withdrawals.',
    examples: ['2235351801266466090', null],
  },
  fundingId: {
    ...FUNDING_ID_OR_NULL,
    description:
      'The deposit or withdrawal for which the money moved; null for payments, and for money that was added without either.',
    examples: [null, '6b1f3f3a-52cf-4d0c-9f0e-6f2f3d9c8a11'],
  },
} as const satisfies EventFields;

const examples = Object.entries<EventFields[string]>(FIELDS).map(([name, field]) => [name, field.examples[0]]);

/** A record of `ledger.entries.v1`. */
export type PublicLedgerEntry = EventWith<typeof FIELDS>;

/** The records of the journal in every version that was ever released, as those of payment events. */
export const LEDGER_ENTRY_TYPES: readonly PublicEventType[] = [
  {
    type: 'LedgerEntryPosted',
    version: 1,
    meaning: 'Money moved: the debit account has the amount less from now on, and the credit account has it more.',
    fields: FIELDS,
    example: Object.fromEntries(examples),
  },
];
