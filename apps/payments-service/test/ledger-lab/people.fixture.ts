import { randomUUID } from 'node:crypto';
import {
  SettleError,
  compareIds,
  randomId,
  type ActOnPayment,
  type AddressKind,
  type CreatePayment,
  type ListPayments,
  type PairRecord,
  type PaymentTarget,
  type RequestAction,
  type UserRecord,
} from '@settle/contracts';

/** A user that is unique in the run. */
export function person(traits: Partial<UserRecord> = {}): UserRecord {
  const id = randomId(Date.now());
  return {
    kind: 'user',
    version: 1,
    card: {
      id,
      username: `user${id}`,
      firstName: 'Some',
      lastName: 'Body',
      displayName: `Body ${id}`,
      about: '',
      profilePictureUrl: 'http://localhost/pictures/SB.svg',
      dateJoinedUs: 1,
    },
    defaultAudience: 'private',
    isBusiness: false,
    isFrozen: false,
    fundingSourceId: null,
    addresses: [],
    ...traits,
  };
}

/** An address that is unique in the run. */
export function anEmail(): PaymentTarget & { type: 'email' } {
  return { type: 'email', value: `${randomUUID()}@example.com` };
}

/** The next record of the same user: with a verified address. */
export function proves(who: UserRecord, { type: kind, value }: PaymentTarget, provenAtUs = 1): UserRecord {
  const proof = { kind: kind as AddressKind, value, provenAtUs };
  return { ...who, version: who.version + 1, addresses: [...who.addresses, proof] };
}

/** Returns the relation of the first user of a pair to the second. */
interface PairTraits {
  readonly version?: number;
  readonly trusts?: boolean;
  readonly blocks?: boolean;
  readonly areFriends?: boolean;
  /** With `trusts`: null is no limit. */
  readonly amountPerDayCents?: number | null;
}

const NO_TRAITS = { version: 1, trusts: false, blocks: false, areFriends: true, amountPerDayCents: null };

/** Two people as the pair record has them, with what is between them. */
export function pair(one: UserRecord, other: UserRecord, traits: PairTraits = {}): PairRecord {
  const { version, trusts, blocks, areFriends, amountPerDayCents } = { ...NO_TRAITS, ...traits };
  const isLow = compareIds(one.card.id, other.card.id) < 0;
  const [low, high] = isLow ? [one, other] : [other, one];
  return {
    kind: 'pair',
    version,
    low: low.card.id,
    high: high.card.id,
    areFriends,
    lowTrustsHigh: trusts && isLow,
    highTrustsLow: trusts && !isLow,
    lowAmountPerDayCents: isLow ? amountPerDayCents : null,
    highAmountPerDayCents: isLow ? null : amountPerDayCents,
    lowBlocksHigh: blocks && isLow,
    highBlocksLow: blocks && !isLow,
  };
}

/** A pay of 1.00, with what differs. */
export function createCommand(
  actor: UserRecord,
  target: UserRecord | PaymentTarget,
  change: Partial<CreatePayment> = {},
): CreatePayment {
  return {
    commandId: randomUUID(),
    paymentId: randomId(Date.now()),
    appId: 'lab',
    actorId: actor.card.id,
    target: 'card' in target ? { type: 'user', value: target.card.id } : target,
    action: 'pay',
    amountCents: 100,
    note: 'lab',
    audience: null,
    medium: 'api',
    environment: 'live',
    beginBeforeMs: Number.MAX_SAFE_INTEGER,
    ...change,
  };
}

export function actCommand(
  actor: UserRecord,
  action: RequestAction,
  paymentId: string,
  change: Partial<ActOnPayment> = {},
): ActOnPayment {
  return {
    commandId: randomUUID(),
    paymentId,
    action,
    actorId: actor.card.id,
    appId: 'lab',
    environment: 'live',
    beginBeforeMs: Number.MAX_SAFE_INTEGER,
    ...change,
  };
}

/** A list of the newest fifty, with what differs. */
export function listQuery(viewer: UserRecord, change: Partial<ListPayments> = {}): ListPayments {
  return {
    viewerId: viewer.card.id,
    environment: 'live',
    action: null,
    actorIds: [],
    statuses: [],
    limit: 50,
    afterUs: null,
    beforeUs: null,
    beforeId: null,
    ...change,
  };
}

const BUSY = ['service_unavailable', 'outcome_unknown'];

/** Sends a command again, as its caller would, until it has a final response. */
export async function untilAnswered<Answer>(send: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      if (attempt === 50 || !(error instanceof SettleError && BUSY.includes(error.code))) throw error;
    }
  }
}
