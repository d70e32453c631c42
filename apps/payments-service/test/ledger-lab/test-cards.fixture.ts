import type { FundingSources } from '../../src/transfer/funding.js';

/** Sources without a provider. They hold no money: the id alone decides the response, at every repetition. */
export const testCards: FundingSources = {
  charge: (_key, { sourceId }) => Promise.resolve(sourceId.startsWith('test-card-declined') ? 'declined' : 'approved'),
  repay: () => Promise.resolve('approved'),
};
