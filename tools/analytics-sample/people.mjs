import { compareIds, derivePaymentId } from '@settle/contracts';

/** Returns a user as users-service announces it. @param sourceId funding source, or null */
export function createUser({ number, joinedAtMs, sourceId }) {
  const id = derivePaymentId(joinedAtMs, `user ${number}`);
  return {
    kind: 'user',
    version: 1,
    card: {
      id,
      username: `user${number}`,
      firstName: 'User',
      lastName: String(number),
      displayName: `User ${number}`,
      about: '',
      profilePictureUrl: 'http://localhost/pictures/U.svg',
      dateJoinedUs: joinedAtMs * 1_000,
    },
    defaultAudience: 'private',
    isBusiness: false,
    isFrozen: false,
    fundingSourceId: sourceId,
    addresses: [{ kind: 'email', value: `user${number}@example.org`, provenAtUs: joinedAtMs * 1_000 }],
  };
}

/** Returns the verified address of a user, to which pays may be held. */
export const claimOf = ({ card, addresses: [{ kind, value }] }) => ({ kind, value, userId: card.id });

/** Returns the pair of two friends, of whom the first settles charges of the second at once. */
export function createTrust({ card: { id: truster } }, { card: { id: trusted } }) {
  const isLow = compareIds(truster, trusted) < 0;
  return {
    kind: 'pair',
    version: 1,
    low: isLow ? truster : trusted,
    high: isLow ? trusted : truster,
    areFriends: true,
    lowTrustsHigh: isLow,
    highTrustsLow: !isLow,
    lowAmountPerDayCents: null,
    highAmountPerDayCents: null,
    lowBlocksHigh: false,
    highBlocksLow: false,
  };
}
