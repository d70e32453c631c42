import {
  parseCharge,
  parsePayout,
  parseRepayment,
  parseReversal,
  parseSource,
  type ProviderCharge,
  type ProviderPayout,
  type ProviderRepayment,
  type ProviderReversal,
  type ProviderSource,
} from '@settle/provider-api';

export interface ObjectOfKind {
  readonly charge: ProviderCharge;
  readonly repayment: ProviderRepayment;
  readonly payout: ProviderPayout;
  readonly reversal: ProviderReversal;
  readonly source: ProviderSource;
}
export type ProviderKind = keyof ObjectOfKind;

export const PATHS = {
  charge: 'charges',
  repayment: 'repayments',
  payout: 'payouts',
  reversal: 'reversals',
  source: 'sources',
} as const;
export const PARSERS: { readonly [Kind in ProviderKind]: (value: unknown) => ObjectOfKind[Kind] | null } = {
  charge: parseCharge,
  repayment: parseRepayment,
  payout: parsePayout,
  reversal: parseReversal,
  source: parseSource,
};

/** A reversal has no key of ours. */
export function keyOf(object: ObjectOfKind[ProviderKind]): string {
  return 'key' in object ? object.key : object.id;
}
