/**
 * Topics of requests and records. Requests are keyed by the acting user, so that the commands of a user stay in order;
 * records of `users.state.v1` are keyed by their user.
 */
export const TOPICS = {
  paymentsCommands: 'payments.commands',
  paymentsQueries: 'payments.queries',
  usersRequests: 'users.requests',
  authRequests: 'auth.requests',
  usersState: 'users.state.v1',
  authRevocations: 'auth.revocations',
  paymentsEvents: 'payments.events.v1',
  ledgerEntries: 'ledger.entries.v1',
  usersLifecycle: 'users.lifecycle.v1',
  ledgerWatermarks: 'ledger.watermarks.v1',
} as const;

export type Topic = (typeof TOPICS)[keyof typeof TOPICS];
