export {
  ChangeAccount,
  ChangeFundingSource,
  CreateAccount,
  FundingSource,
  GetAccount,
  VerifyAddress,
  RemoveAddress,
  changeAccount,
  changeFundingSource,
  createAccount,
  getAccount,
  verifyAddress,
  removeAddress,
  type Account,
} from './accounts.messages.js';
export {
  normalizeAddress,
  normalizeEmail,
  normalizeUsername,
  parseEmail,
  parseEmailOnFile,
  parseUsPhone,
} from './addresses.js';
export {
  CheckToken,
  FUNDING_OUTCOMES,
  NotifyConfirmation,
  NotifyFundingOutcome,
  SCOPES,
  checkToken,
  notifyConfirmation,
  notifyFundingOutcome,
  tokensRevoked,
  type FundingNotice,
  type FundingOutcome,
  type Scope,
  type TokenGrant,
  TokensRevoked,
} from './auth.messages.js';
export { isPlainLine, isPlainText } from './plain-text.js';
export { compileValidators } from './compile-validators.js';
export { DEMO_APP, DEMO_PASSWORD, DEMO_USERS, type DemoUser } from './demo.js';
export {
  ERROR_CATALOGUE,
  SettleError,
  fromErrorPayload,
  toErrorPayload,
  type CatalogueEntry,
  type ErrorCode,
  type ErrorPayload,
} from './errors.js';
export { errorCatalogueTables } from './errors-markdown.js';
export { CURRENCY, formatDollars } from './format-dollars.js';
export {
  AskFriend,
  ChangeFriendship,
  FRIEND_ACTIONS,
  MAX_AMOUNT_PER_DAY_CENTS,
  GetFriendships,
  askFriend,
  changeFriendship,
  getFriendships,
  type FriendAction,
  type Friend,
  type FriendRequestResult,
  type Friendships,
} from './friendships.messages.js';
export { formatIsoDateUs } from './iso-date.js';
export { compareIds, idTimeMs, isId, derivePaymentId, randomId } from './ids.js';
export { KAFKA_TOPICS, type KafkaTopic } from './kafka-topics.js';
export { kafkaAcls, topicsOf, type KafkaAcl } from './kafka-rights.js';
export { kafkaAclScripts } from './kafka-acl-scripts.js';
export {
  DATABASE_SERVICES,
  SERVICES,
  SERVICE_NAMES,
  databaseNameOf,
  type DatabaseName,
  type ServiceName,
} from './services.js';
export { kafkaTopicsTables } from './kafka-topics-markdown.js';
export {
  eventContract,
  requestContract,
  type EventContract,
  type PayloadClass,
  type RequestContract,
} from './message.js';
export {
  ACTING_PARTIES,
  ENVIRONMENTS,
  MEDIUMS,
  PARTY_BY_ACTION,
  PAYMENT_ACTIONS,
  PAYMENT_STATUSES,
  REQUEST_ACTIONS,
  TARGET_TYPES,
  type Environment,
  type Medium,
  type PaymentAction,
  type PaymentStatus,
  type ActingParty,
  type RequestAction,
  type TargetType,
} from './payment-enums.js';
export {
  ActOnPayment,
  CreatePayment,
  IDEMPOTENCY_KEY,
  Idempotency,
  PaymentTarget,
  actOnPayment,
  createPayment,
  paymentTermsOf,
  type CreatedPayment,
  type PaymentTerms,
  type MaybeReplayed,
  type PaymentView,
  type TargetView,
} from './payments.commands.js';
export {
  AdvanceFunding,
  BeginSource,
  CancelWithdrawal,
  EndSource,
  FUNDING_STATUSES,
  GetFunding,
  KeepSource,
  MAX_FUNDING_CENTS,
  RequestDeposit,
  RequestWithdrawal,
  advanceFunding,
  beginSource,
  cancelWithdrawal,
  endSource,
  getFunding,
  keepSource,
  requestDeposit,
  requestWithdrawal,
  type BegunSource,
  type FundingItem,
  type FundingOverview,
  type FundingReason,
  type FundingStatus,
  type SourceView,
} from './payments.funding.js';
export {
  ClaimHeld,
  ContinuePayment,
  claimHeld,
  continuePayment,
  type ClaimsStarted,
  type ContinuedPayment,
} from './payments.owners.js';
export {
  GetBalance,
  GetPayment,
  ListPayments,
  UsersKnown,
  getBalance,
  getPayment,
  listPayments,
  usersKnown,
  type KnownVersion,
  type PaymentsPage,
} from './payments.queries.js';
export { capitalize, enumerate } from './wording.js';
export { formatAmount, toUserResponse } from './user-response.js';
export { avroSchemas } from './public-events/avro-schemas.js';
export { LATEST_WATERMARK_SECONDS, dataContracts } from './public-events/data-contracts.js';
export { topicPages } from './public-events/topic-pages.js';
export { topicSchemas } from './public-events/topic-schemas.js';
export { publicEventsAsyncApi } from './public-events/public-event-asyncapi.js';
export { PUBLIC_EVENT_HEADERS } from './public-events/public-event-headers.js';
export {
  ledgerEntries,
  ledgerWatermarks,
  paymentEvents,
  usersLifecycle,
} from './public-events/public-event-contract.js';
export type { LedgerWatermark } from './public-events/watermark-table.js';
export type { Movement, PublicLedgerEntry } from './public-events/ledger-entry-table.js';
export { publicEventPages, publicEventTables } from './public-events/public-event-pages.js';
export { publicEventSchemas, type PublicEventSchema } from './public-events/public-event-schemas.js';
export type { PublicPaymentEvent } from './public-events/public-event-table.js';
export { type PublicUserEvent, type UserStatus } from './public-events/user-lifecycle-table.js';
export { breakingChange, schemaBreaks } from './public-events/schema-breaks.js';
export { ACCESS, abilitiesOf, isOpen, type AccessName } from './scope-access.js';
export { SANDBOX_TEST_USER, isSandboxTestUser, sandboxTestUserCard } from './sandbox-test-user.js';
export type { LogEvent, LogState } from './log-state.js';
export { TOPICS, type Topic } from './topics.js';
export {
  DEFAULT_PAGE_SIZE,
  GetProfile,
  ListFriends,
  MAX_OFFSET,
  MAX_PAGE_SIZE,
  getProfile,
  listFriends,
  noSuchUser,
  type FriendsPage,
  type Profile,
} from './users.messages.js';
export {
  ADDRESS_KINDS,
  AUDIENCES,
  idsOfUsersStateKey,
  FIRST_RECORD_EPOCH,
  epochOfRecord,
  isOlderRecord,
  usersState,
  usersStateKey,
  type AddressKind,
  type Audience,
  PairRecord,
  UserCard,
  VerifiedAddress,
  UserRecord,
  type RecordOrder,
  type UsersStateRecord,
} from './users-state.js';
export { codeForApp, withLegacyDatetimes } from './legacy-answers.js';
export {
  OPERATOR_NAME_RULE,
  OPERATOR_REASON_RULE,
  isOperatorName,
  isOperatorReason,
  takeOption,
} from './operator-options.js';
export { CLOSE_STEPS, CLOSE_USAGE, readCloseCommand, type CloseCommand, type CloseStep } from './close-command.js';
export { readAuditQuery, readFindQuery, type AuditQuery } from './operator-queries.js';
export { readUserCommand, type UserCommand, type UserFlagName } from './user-command.js';
