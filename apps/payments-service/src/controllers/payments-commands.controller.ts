import { LIMITS } from '@settle/config';
import {
  ActOnPayment,
  AddFunds,
  ClaimHeld,
  ContinuePayment,
  CreatePayment,
  SettleError,
  actOnPayment,
  addFunds,
  claimHeld,
  continuePayment,
  createPayment,
  isPlainlyCreatePayment,
  type Balance,
  type ClaimsBegun,
  type ContinuedPayment,
  type CreatedPayment,
  type Environment,
  type MaybeReplayed,
  type PaymentView,
  type UserRecord,
} from '@settle/contracts';
import { OnRequest, dtoCheck } from '@settle/messaging';
import { payerIdOf } from '@settle/payments-domain';
import { Controller } from '@nestjs/common';
import { Ledger } from '../ledger.js';
import { shownPayment } from '../projections/payments/shown-payment.js';
import { orUnavailable, orUnknown } from '../database-away.js';
import { insufficientFunds, requestAction, type ActingPeople } from '../commands/act-on-payment.js';
import { beginningOf } from '../commands/create-payment.js';
import { begunPaymentId } from '../idempotency/begun-payment.js';
import { hindranceBetween } from '../people/relations.js';
import type { Brought } from '../transfer/transfer-steps.js';

const TEST_SOURCE = 'test-bank';

const BEGUN_TO_GIVEN_UP_MS = LIMITS.gateway.commandGiveUpMs - LIMITS.gateway.commandBeginMs;

const { requestsInProgress, requestsWaiting } = LIMITS.messaging;
const { waitingForOwners, askedByOwners } = LIMITS.payments;
/** Those who wait for other owners must not take the places of those who could be worked on. */
const WITH_PLACES_TO_WAIT = { inProgress: requestsInProgress + waitingForOwners, waiting: requestsWaiting };
/** Whoever is refused here has already begun: money would be in transit until the worker comes. */
const NEVER_REFUSED = { inProgress: requestsInProgress, waiting: askedByOwners };

const checkedInFull = dtoCheck(CreatePayment);

/** The commands of the payments service: one method each, from the message to the answer. */
@Controller()
export class PaymentsCommands {
  constructor(private readonly ledger: Ledger) {}

  @OnRequest(createPayment, {
    check: (payload) => isPlainlyCreatePayment(payload) || checkedInFull(payload),
    limits: WITH_PLACES_TO_WAIT,
  })
  async create(command: CreatePayment): Promise<CreatedPayment & MaybeReplayed> {
    refuseLate(command.beginBeforeMs);
    refuseSandbox(command.environment);
    return this.ledger.keyed.once(command, (under, mayBeBegun) => this.#create(under, mayBeBegun));
  }

  async #create(command: CreatePayment, mayBeBegun: boolean): Promise<CreatedPayment> {
    const { histories, payments, transfers } = this.ledger;
    const begunId = mayBeBegun ? await orUnavailable(begunPaymentId(histories, command)) : null;
    const [brought, known] = begunId === null ? await this.#begin(command) : [await transfers.bring(begunId, null)];
    const { paymentId, position, balances } = brought;
    const answer = Promise.all([this.ledger.views.ofPayment(paymentId, brought.payment, known), this.#shown(position)]);
    const [payment] = await orUnknown(paymentId, answer);
    const moved = balances.get(command.actorId);
    const balanceCents = moved ?? (await orUnknown(paymentId, payments.balanceCents(command.actorId)));
    return { payment, balanceCents };
  }

  async #begin(command: CreatePayment): Promise<[Brought, ReadonlyMap<string, UserRecord>]> {
    const { people, transfers, clock, settings } = this.ledger;
    const terms = { fee: settings.payments, atUs: clock.nowUs() };
    const { created, people: known } = await orUnavailable(beginningOf(command, people, terms));
    const payerId = payerIdOf(created.data, created.data.target.userId);
    const sourceId = payerId === null ? null : (known.get(payerId)?.fundingSourceId ?? null);
    const giveUpAtMs = command.beginBeforeMs + BEGUN_TO_GIVEN_UP_MS;
    return [await transfers.create({ paymentId: command.paymentId, created, sourceId, giveUpAtMs }), known];
  }

  @OnRequest(actOnPayment, { limits: WITH_PLACES_TO_WAIT })
  async act(command: ActOnPayment): Promise<PaymentView & MaybeReplayed> {
    refuseLate(command.beginBeforeMs);
    refuseSandbox(command.environment);
    return this.ledger.keyed.once(command, (under) => this.#act(under));
  }

  async #act(command: ActOnPayment): Promise<PaymentView> {
    const { transfers, clock, views } = this.ledger;
    const people = await orUnavailable(this.#actingPeople(command));
    const action = requestAction(command.action, people, clock.nowUs());
    const { paymentId, payment, position } = await transfers.bring(command.paymentId, action);
    await this.#shown(position);
    if (command.action === 'approve' && payment.status === 'pending') throw insufficientFunds();
    return orUnknown(paymentId, views.ofPayment(paymentId, payment));
  }

  /** Another instance's payment has come to a wallet of ours. */
  @OnRequest(continuePayment, { limits: NEVER_REFUSED })
  async goOn({ paymentId, walletId }: ContinuePayment): Promise<ContinuedPayment> {
    const { position } = await this.ledger.transfers.continue(paymentId, walletId);
    return { position };
  }

  /** Another instance has learnt of a proof of one of our users. */
  @OnRequest(claimHeld)
  async claim({ userId }: ClaimHeld): Promise<ClaimsBegun> {
    const { people, worker } = this.ledger;
    const user = await orUnavailable(people.user(userId));
    worker.proven((user?.addresses ?? []).map(({ kind, value }) => ({ kind, value, userId })));
    return { userId };
  }

  /** A test bank's money: it exists only with the development tools. */
  @OnRequest(addFunds)
  async addFunds(command: AddFunds): Promise<Balance> {
    const { settings, deposits, clock, payments } = this.ledger;
    if (!settings.devTools) throw new SettleError('not_permitted', 'Test money needs DEV_TOOLS=true.');
    await this.#shown(await deposits.add(command, TEST_SOURCE, clock.nowUs()));
    return { balanceCents: await payments.balanceCents(command.userId) };
  }

  /** Whoever reads after the answer sees it; after 2 s it is sent anyway, the money being safe. */
  async #shown(position: number): Promise<void> {
    if (await this.ledger.projector.reached(position)) return;
    this.ledger.logger.warn({ position }, 'answered before the read models showed it');
  }

  async #actingPeople({ paymentId, actorId: byUserId }: ActOnPayment): Promise<ActingPeople> {
    const { histories, views, people } = this.ledger;
    const { payment } = await histories.payment(paymentId);
    if (payment.status === 'none') throw new SettleError('resource_not_found', 'There is no such payment.');
    const targetUserId = await views.targetUserId(shownPayment(paymentId, payment));
    const user = await people.user(byUserId);
    const hindrance = await this.#hindrance(byUserId, payment.facts.actorId);
    return { byUserId, targetUserId, sourceId: user?.fundingSourceId ?? null, hindrance };
  }

  async #hindrance(approverId: string, actorId: string): Promise<SettleError | null> {
    return approverId === actorId ? null : hindranceBetween(await this.ledger.people.two(approverId, actorId));
  }
}

/** A command whose sender has given up must not begin. */
function refuseLate(beginBeforeMs: number): void {
  if (Date.now() <= beginBeforeMs) return;
  const seconds = LIMITS.gateway.commandBeginMs / 1_000;
  throw new SettleError(
    'service_unavailable',
    `It waited longer than ${seconds} s, so nothing was begun. Send it again.`,
  );
}

function refuseSandbox(environment: Environment): void {
  if (environment !== 'live') throw new SettleError('resource_not_found', 'There is no sandbox here.');
}
