export { SettleClient, type SettleClientOptions } from './client.js';
export { ConnectionError, OutcomeUnknownError, SettleError } from './errors.js';
export {
  authorizationUrl,
  createPkce,
  exchangeCode,
  type Authorization,
  type AuthorizationRequest,
  type Pkce,
} from './oauth.js';
export { PagedList } from './paged-list.js';
export type { Payments, WriteOptions } from './payments.js';
export type {
  App,
  CreatedPayment,
  ErrorCode,
  Friend,
  FriendsQuery,
  ListedPayment,
  Me,
  NewPayment,
  Payment,
  PaymentsQuery,
  Tokens,
  User,
} from './types.js';
export type { Users } from './users.js';
