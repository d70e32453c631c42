import {
  SANDBOX_TEST_USER,
  SettleError,
  normalizeAddress,
  paymentTermsOf,
  type CreatePayment,
  type UserRecord,
} from '@settle/contracts';
import { feeCentsOf, modeOf, type FeeRate, type PaymentCreated, type PaymentFacts } from '@settle/payments-domain';
import type { UserReplica } from '../user-replica/user-replica.js';
import { isResolvedInSandbox } from '../user-replica/sandbox-user-replica.js';
import { relationOf, type Relation } from '../user-replica/relations.js';
import { scriptedTerms } from './scripted-payment.js';

/** A payment's first event with the users for whom it was decided, as known then. */
export interface BuiltPayment {
  readonly created: PaymentCreated;
  readonly users: ReadonlyMap<string, UserRecord>;
  /** Cents that the payer of a trusted charge lets the actor charge within 24 hours without approval; null: no limit. */
  readonly trustAmountPerDayCents: number | null;
}

interface Circumstances {
  readonly fee: FeeRate;
  readonly atUs: number;
  /** W3C `traceparent` of the enclosing span; absent if the command is not traced. */
  readonly traceparent?: string | undefined;
}

/**
 * Builds the first event of the payment that a command requests, from what the user replica has of both users.
 * Errors: `resource_not_found`, `cannot_pay_self`, `account_frozen`, `not_permitted`, `merchant_payments_not_allowed`,
 * `service_unavailable` while the replica does not have the actor yet.
 */
export async function buildPaymentCreated(
  command: CreatePayment,
  users: UserReplica,
  { fee, atUs, traceparent }: Circumstances,
): Promise<BuiltPayment> {
  const targetUserId = await targetUserIdOf(command, users);
  const known = await users.findTwo(command.actorId, targetUserId ?? command.actorId);
  const { one: actor } = known;
  if (actor === null) throw new SettleError('service_unavailable', 'This account is not ready yet. Try again shortly.');
  if (targetUserId === actor.card.id) {
    throw new SettleError('cannot_pay_self', 'You cannot pay or charge yourself. Name another user.');
  }
  const isHidden = command.environment === 'sandbox' && !isResolvedInSandbox(known);
  const target = targetUserId === null || isHidden ? null : known.other;
  if ((target === null || target.isClosed === true) && command.target.type === 'user') {
    throw new SettleError('resource_not_found', 'There is no user with this user_id.');
  }
  refuseAccounts(command, actor, target);
  const relation = relationOf(known, actor.card.id);
  if (relation.isBlocked) throw new SettleError('not_permitted', 'One of you has blocked the other.');
  const created: PaymentCreated = {
    type: 'PaymentCreated',
    data: {
      ...routeOf(command, targetUserId, { relation, fee }),
      ...paymentTermsOf(command),
      actorId: command.actorId,
      audience: command.audience ?? actor.defaultAudience,
      appId: command.appId,
      environment: command.environment,
      commandId: command.commandId,
      ...(traceparent === undefined ? {} : { traceparent }),
      refundOf: null,
      atUs,
    },
  };
  const { trustAmountPerDayCents } = relation;
  return {
    created,
    users: new Map([actor, target ?? actor].map((user) => [user.card.id, user])),
    trustAmountPerDayCents,
  };
}

/** Returns the same payment as a charge that waits for its payer's approval. */
export function asRequest({ type, data }: PaymentCreated): PaymentCreated {
  return { type, data: { ...data, mode: 'request' } };
}

/** Returns how the money moves. Only the sandbox has the test user. */
function routeOf(
  command: CreatePayment,
  targetUserId: string | null,
  { relation, fee }: { relation: Relation; fee: FeeRate },
): Pick<PaymentFacts, 'mode' | 'target' | 'feeCents'> {
  if (targetUserId === SANDBOX_TEST_USER.id) return scriptedTerms(command);
  const { type, value } = command.target;
  return {
    mode: modeOf(command.action, targetUserId, relation.settlesCharges),
    target: { type, userId: targetUserId, address: targetUserId === null ? value : null },
    feeCents: feeCentsOf(command.amountCents, fee),
  };
}

/** Returns null for an address that no user has verified. */
function targetUserIdOf({ target, actorId }: CreatePayment, users: UserReplica): Promise<string | null> | string {
  const { type, value } = target;
  return type === 'user' ? value : users.findOwner(type, normalizeAddress(type, value), actorId);
}

function refuseAccounts({ action }: CreatePayment, actor: UserRecord, target: UserRecord | null): void {
  if (actor.isFrozen) throw new SettleError('account_frozen', 'Your account is frozen. Ask support to lift it.');
  if (target?.isFrozen)
    throw new SettleError('account_frozen', 'That account is frozen and cannot take part in payments.');
  if (target?.isBusiness || (actor.isBusiness && action === 'charge')) {
    throw new SettleError(
      'merchant_payments_not_allowed',
      'A business can neither be paid or charged nor charge through this interface.',
    );
  }
}
