/**
 * Where messages go. Requests are keyed by whoever acts, so that one person's commands stay in order; records of
 * `users.state.v1` by whom they are about.
 */
export const TOPICS = {
  paymentsCommands: 'payments.commands',
  paymentsQueries: 'payments.queries',
  usersRequests: 'users.requests',
  authRequests: 'auth.requests',
  usersState: 'users.state.v1',
  authRevocations: 'auth.revocations',
} as const;

export type Topic = (typeof TOPICS)[keyof typeof TOPICS];
