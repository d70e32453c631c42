/** `LIMITS.users`: bounds on the work of users-service. */
export const USERS_LIMITS = Object.freeze({
  /** Longest wait for payments to receive a change; then the response says that it takes effect shortly. */
  confirmWaitMs: 2_000,
  /** Connections to the database. */
  poolConnections: 4,
  /** Verified addresses of one user. */
  addressesPerUser: 10,
  /** Friend requests of one user that are not accepted or declined. */
  friendRequestsPerUser: 100,
  /** Users in one list on the friends page. */
  friendsShown: 200,
  /** Profiles kept in memory while nothing in them changes; the least recently used goes first. */
  profilesKept: 50_000,
  /** Their estimated size together: 32 MiB. */
  profileBytesKept: 33_554_432,
  /** Users whose last change is remembered, to know which kept profiles are current. */
  changesKept: 50_000,
});
