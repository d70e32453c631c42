import { DECLINED_TEST_CARD } from '@settle/contracts';
import type { SourceOrder } from '@settle/payments-domain';

/** `unknown`: no answer came; the same key is asked again. */
export type SourceAnswer = 'approved' | 'declined' | 'unknown';

/**
 * Moves money between a person's funding source and us. Both calls are idempotent: the same key gets the same answer
 * and moves the money once. They never reject: what goes wrong on the way is `unknown`.
 */
export interface FundingSources {
  charge(key: string, order: SourceOrder): Promise<SourceAnswer>;
  repay(key: string, order: SourceOrder): Promise<SourceAnswer>;
}

/** Cards of the development tools. They hold no money, so an answer follows from the card alone, at every repetition. */
export const testCards: FundingSources = {
  charge: (_key, { sourceId }) => Promise.resolve(sourceId.startsWith(DECLINED_TEST_CARD) ? 'declined' : 'approved'),
  repay: () => Promise.resolve('approved'),
};

/** Where no provider is set up: nothing can be charged, and what once came from a card stays as balance. */
export const noSources: FundingSources = {
  charge: () => Promise.resolve('declined'),
  repay: () => Promise.resolve('declined'),
};
