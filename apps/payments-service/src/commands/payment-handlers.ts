import { LIMITS } from '@settle/config';
import {
  SettleError,
  type ActOnPayment,
  type CreatePayment,
  type CreatedPayment,
  type MaybeReplayed,
  type PaymentView,
  type UserRecord,
} from '@settle/contracts';
import { payerIdOf, scriptedBalanceCents, type ExistingPayment, type PaymentCreated } from '@settle/payments-domain';
import { orUnavailable, orUnknown } from '../database-away.js';
import { begunPaymentId } from '../idempotency/begun-payment.js';
import type { Ledger } from '../ledger.js';
import { hindranceBetween } from '../people/relations.js';
import { shownPayment } from '../projections/payments/shown-payment.js';
import type { Brought } from '../transfer/transfer-steps.js';
import { approvalDemand, creationDemand } from '../user-limits/demands.js';
import { AboveTrust, isAboveLimit } from '../user-limits/exceeded-error.js';
import type { Demand } from '../user-limits/user-activity.js';
import { refuseUnlessApproved, requestAction, type ActingPeople } from './act-on-payment.js';
import { asRequest, beginningOf } from './create-payment.js';
import { refuseUnknownAmount } from './scripted-payment.js';

const BEGUN_TO_GIVEN_UP_MS = LIMITS.gateway.commandGiveUpMs - LIMITS.gateway.commandBeginMs;

/** Works on the commands of one environment: it is given that ledger, and so can reach no other. */
export class PaymentHandlers {
  constructor(private readonly ledger: Ledger) {}

  /**
   * Errors: those of the contract `createPayment`.
   * @param traceparent of the span that it is done in
   */
  async create(command: CreatePayment, traceparent?: string): Promise<CreatedPayment & MaybeReplayed> {
    refuseUnknownAmount(command);
    return this.ledger.keyed.once(command, (under, mayBeBegun) => this.#create(under, mayBeBegun, traceparent));
  }

  /**
   * Errors: those of the contract `actOnPayment`.
   * @param traceparent of the span that it is done in
   */
  act(command: ActOnPayment, traceparent?: string): Promise<PaymentView & MaybeReplayed> {
    return this.ledger.keyed.once(command, (under) => this.#act(under, traceparent));
  }

  async #create(command: CreatePayment, mayBeBegun: boolean, traceparent?: string): Promise<CreatedPayment> {
    const { histories, transfers } = this.ledger;
    const begunId = mayBeBegun ? await orUnavailable(begunPaymentId(histories, command)) : null;
    const [brought, known] =
      begunId === null ? await this.#begin(command, traceparent) : [await transfers.bring(begunId, null, traceparent)];
    const { paymentId, position } = brought;
    const answer = Promise.all([
      this.ledger.views.ofPayment(paymentId, brought.payment, known),
      this.ledger.untilShown(position, traceparent),
    ]);
    const [payment] = await orUnknown(paymentId, answer);
    return { payment, balanceCents: await this.#balanceAfter(brought, command.actorId) };
  }

  async #begin(command: CreatePayment, traceparent?: string): Promise<[Brought, ReadonlyMap<string, UserRecord>]> {
    const { people, transfers, clock, settings } = this.ledger;
    const terms = { fee: settings.payments, atUs: clock.nowUs(), traceparent };
    const beginning = await orUnavailable(beginningOf(command, people, terms));
    const { created, people: known, trustAmountPerDayCents } = beginning;
    const giveUpAtMs = command.beginBeforeMs + BEGUN_TO_GIVEN_UP_MS;
    const { paymentId, appAmountPerDayCents = null } = command;
    const begin = (fact: PaymentCreated) => {
      const payerId = payerIdOf(fact.data, fact.data.target.userId);
      const sourceId = payerId === null ? null : (known.get(payerId)?.fundingSourceId ?? null);
      const demand = creationDemand(fact.data, { appAmountPerDayCents, trustAmountPerDayCents });
      return this.#admit(demand, () =>
        transfers.create({ paymentId, created: fact, sourceId, giveUpAtMs, traceparent }),
      );
    };
    const brought = begin(created)
      .catch((error: unknown) => (error instanceof AboveTrust ? begin(asRequest(created)) : Promise.reject(error)))
      .catch((error: unknown) => this.#orBegun(command, error, traceparent));
    return [await brought, known];
  }

  /** Does the work if the user's limits admit it; null: they do not apply. */
  #admit(demand: Demand | null, work: () => Promise<Brought>): Promise<Brought> {
    const { userLimits } = this.ledger;
    return demand === null || userLimits === null ? work() : userLimits.admit(demand, work);
  }

  /** A command that was delivered before may itself have reached the limit that it is refused for now. */
  async #orBegun(command: CreatePayment, error: unknown, traceparent?: string): Promise<Brought> {
    if (!isAboveLimit(error)) throw error;
    const begunId = await orUnavailable(begunPaymentId(this.ledger.histories, command));
    if (begunId === null) throw error;
    return this.ledger.transfers.bring(begunId, null, traceparent);
  }

  async #balanceAfter({ paymentId, payment, balances }: Brought, actorId: string): Promise<number> {
    if (payment.facts.mode === 'scripted') return scriptedBalanceCents(payment.facts);
    return balances.get(actorId) ?? orUnknown(paymentId, this.ledger.payments.balanceCents(actorId));
  }

  async #act(command: ActOnPayment, traceparent?: string): Promise<PaymentView> {
    const { transfers, clock, views } = this.ledger;
    const [people, before] = await orUnavailable(this.#actingPeople(command));
    const action = requestAction(command.action, people, clock.nowUs());
    const demand =
      command.action === 'approve' ? approvalDemand(before, people, command.appAmountPerDayCents ?? null) : null;
    const { paymentId, payment, position } = await this.#admit(demand, () =>
      transfers.bring(command.paymentId, action, traceparent),
    );
    await this.ledger.untilShown(position, traceparent);
    if (command.action === 'approve') refuseUnlessApproved(payment, people);
    return orUnknown(paymentId, views.ofPayment(paymentId, payment));
  }

  async #actingPeople({ paymentId, actorId: byUserId, appId }: ActOnPayment): Promise<[ActingPeople, ExistingPayment]> {
    const { histories, views, people } = this.ledger;
    const { payment } = await histories.payment(paymentId);
    if (payment.status === 'none') throw new SettleError('resource_not_found', 'There is no such payment.');
    const targetUserId = await views.targetUserId(shownPayment(paymentId, payment));
    const user = await people.user(byUserId);
    const hindrance = await this.#hindrance(byUserId, payment.facts.actorId);
    return [{ byUserId, targetUserId, sourceId: user?.fundingSourceId ?? null, hindrance, appId }, payment];
  }

  async #hindrance(approverId: string, actorId: string): Promise<SettleError | null> {
    return approverId === actorId ? null : hindranceBetween(await this.ledger.people.two(approverId, actorId));
  }
}
