import {
  SANDBOX_TEST_USER,
  SettleError,
  normaliseAddress,
  type AddressKind,
  type CreatePayment,
  type PaymentTarget,
  type UserRecord,
} from '@settle/contracts';
import {
  feeCentsOf,
  modeOf,
  type EventTarget,
  type FeeRate,
  type PaymentCreated,
  type PaymentFacts,
} from '@settle/payments-domain';
import type { KnownPeople } from '../people/known-people.js';
import { resolvesInSandbox } from '../people/sandbox-people.js';
import { relationOf, type Relation } from '../people/relations.js';
import { scriptedTerms } from './scripted-payment.js';

/** The first fact of a payment, and those whom it was decided for, as known then. */
export interface Beginning {
  readonly created: PaymentCreated;
  readonly people: ReadonlyMap<string, UserRecord>;
  /** What the payer of a trusted charge lets the actor charge unasked within 24 hours, cents; null: no limit. */
  readonly trustAmountPerDayCents: number | null;
}

interface BeginningTerms {
  readonly fee: FeeRate;
  readonly atUs: number;
  /** Of the span that it begins in; absent: it is not traced. */
  readonly traceparent?: string | undefined;
}

/**
 * How the payment that a command asks for begins, from what is known of the two people now.
 * Errors: `resource_not_found`, `cannot_pay_self`, `account_frozen`, `not_permitted`, `merchant_payments_not_allowed`,
 * `service_unavailable` while the actor is not known here yet.
 */
export async function beginningOf(
  command: CreatePayment,
  people: KnownPeople,
  { fee, atUs, traceparent }: BeginningTerms,
): Promise<Beginning> {
  const targetUserId = await userIdMeantBy(command, people);
  const known = await people.two(command.actorId, targetUserId ?? command.actorId);
  const { one: actor } = known;
  if (actor === null) throw new SettleError('service_unavailable', 'This account is not ready yet. Try again shortly.');
  refuseSelf(actor, targetUserId);
  const isHidden = command.environment === 'sandbox' && !resolvesInSandbox(known);
  const target = targetUserId === null || isHidden ? null : known.other;
  if (target === null && command.target.type === 'user') {
    throw new SettleError('resource_not_found', 'There is no user with this user_id.');
  }
  refuseAccounts(command, actor, target);
  const relation = relationOf(known, actor.card.id);
  if (relation.isBlocked) throw new SettleError('not_permitted', 'One of you has blocked the other.');
  const created: PaymentCreated = {
    type: 'PaymentCreated',
    data: {
      ...termsOf(command, targetUserId, { relation, fee }),
      action: command.action,
      actorId: command.actorId,
      amountCents: command.amountCents,
      note: command.note,
      audience: command.audience ?? actor.defaultAudience,
      medium: command.medium,
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
    people: new Map([actor, target ?? actor].map((user) => [user.card.id, user])),
    trustAmountPerDayCents,
  };
}

/** The same payment as a charge that waits for its payer's approval. */
export function asRequest({ type, data }: PaymentCreated): PaymentCreated {
  return { type, data: { ...data, mode: 'request' } };
}

/** The test user is somebody only among the people of the sandbox. */
function termsOf(
  command: CreatePayment,
  targetUserId: string | null,
  { relation, fee }: { relation: Relation; fee: FeeRate },
): Pick<PaymentFacts, 'mode' | 'target' | 'feeCents'> {
  if (targetUserId === SANDBOX_TEST_USER.id) return scriptedTerms(command);
  return {
    mode: modeOf(command.action, targetUserId, relation.settlesChargesOf),
    target: eventTarget(command.target, targetUserId),
    feeCents: feeCentsOf(command.amountCents, fee),
  };
}

/** Null: an address that nobody has proven. */
function userIdMeantBy({ target, actorId }: CreatePayment, people: KnownPeople): Promise<string | null> | string {
  const { type, value } = target;
  if (type === 'user') return value;
  const kind: AddressKind = type;
  return people.ownerOf(kind, normaliseAddress(kind, value), actorId);
}

function eventTarget({ type, value }: PaymentTarget, userId: string | null): EventTarget {
  return { type, userId, address: userId === null ? value : null };
}

function refuseSelf(actor: UserRecord, targetUserId: string | null): void {
  if (targetUserId !== actor.card.id) return;
  throw new SettleError('cannot_pay_self', 'You cannot pay or charge yourself. Name somebody else.');
}

function refuseAccounts({ action }: CreatePayment, actor: UserRecord, target: UserRecord | null): void {
  if (actor.isFrozen) throw new SettleError('account_frozen', 'Your account is frozen. Ask support to lift it.');
  if (target?.isFrozen) throw new SettleError('account_frozen', 'That account is frozen and can take part in nothing.');
  if (target?.isBusiness || (actor.isBusiness && action === 'charge')) {
    throw new SettleError(
      'merchant_payments_not_allowed',
      'A business can neither be paid or charged nor charge through this interface.',
    );
  }
}
