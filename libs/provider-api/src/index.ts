export { CHANGES_PER_PAGE } from './objects.js';
export { MAX_BODY_BYTES, type ProviderNextAction } from './fields.js';
export {
  parseChange,
  parseChanges,
  parseCharge,
  parsePayout,
  parseProblem,
  parseProviderInfo,
  parseRepayment,
  parseReversal,
  parseSource,
  type ProviderChange,
  type ProviderChanges,
  type ProviderCharge,
  type ProviderInfo,
  type ProviderPayout,
  type ProviderProblem,
  type ProviderRepayment,
  type ProviderReversal,
  type ProviderSource,
} from './objects.js';
export { providerOpenApi } from './openapi.js';
export {
  parseCancelRequest,
  parseChargeRequest,
  parseEndRequest,
  parsePayoutRequest,
  parseRepaymentRequest,
  parseSourceRequest,
  timeOfUs,
  type CancelRequest,
  type ChargeRequest,
  type EndRequest,
  type PayoutRequest,
  type RepaymentRequest,
  type SourceRequest,
} from './requests.js';
export {
  createMessageSecret,
  isMessageSecret,
  signMessage,
  SIGNATURE_TOLERANCE_SECONDS,
  verifyMessage,
  type MessageHeaders,
  type SignedContent,
} from './signatures.js';
