import { intentUsOf } from '@settle/payments-domain';

const US_PER_S = 1_000_000;
const HOUR_US = 3_600 * US_PER_S;
/** Times after the intent at which the provider is asked; then every hour. */
const ASKED_AFTER_US = [2, 10, 60, 300].map((seconds) => seconds * US_PER_S);

/**
 * Returns when the provider is asked next about calls that it has not answered, in microseconds since 1970.
 * @param calls at least one; one without `beginBeforeUs` is from before there was a provider
 * @param askedUs when the provider was asked last
 */
export function nextAskUs(calls: readonly { readonly beginBeforeUs?: number }[], askedUs: number): number {
  return Math.min(...calls.map(({ beginBeforeUs = 0 }) => nextAskOf(intentUsOf(beginBeforeUs), askedUs)));
}

function nextAskOf(intentUs: number, askedUs: number): number {
  const passedUs = askedUs - intentUs;
  const next = ASKED_AFTER_US.find((afterUs) => afterUs > passedUs);
  return intentUs + (next ?? HOUR_US * (Math.floor(passedUs / HOUR_US) + 1));
}
