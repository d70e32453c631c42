/** Topics that carry messages between services: requests, keyed by whoever acts, and events. */
export const TOPICS = {
  paymentsCommands: 'payments.commands',
  paymentsQueries: 'payments.queries',
  usersRequests: 'users.requests',
  authRequests: 'auth.requests',
  usersState: 'users.state.v1',
  authRevocations: 'auth.revocations',
  paymentsEvents: 'payments.events.v1',
} as const;

export type Topic = (typeof TOPICS)[keyof typeof TOPICS];
