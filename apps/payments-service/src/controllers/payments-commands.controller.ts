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
} from '@settle/contracts';
import { OnRequest, dtoCheck, type RequestEnvelope } from '@settle/messaging';
import { Controller } from '@nestjs/common';
import { PaymentHandlers } from '../commands/payment-handlers.js';
import { orUnavailable } from '../database-away.js';
import { Ledgers } from '../ledgers.js';

const TEST_SOURCE = 'test-bank';

const { requestsInProgress, requestsWaiting } = LIMITS.messaging;
const { waitingForOwners, askedByOwners } = LIMITS.payments;
/** Those who wait for other owners must not take the places of those who could be worked on. */
const WITH_PLACES_TO_WAIT = { inProgress: requestsInProgress + waitingForOwners, waiting: requestsWaiting };
/** Whoever is refused here has already begun: money would be in transit until the worker comes. */
const NEVER_REFUSED = { inProgress: requestsInProgress, waiting: askedByOwners };

/** What came beside a command. */
type Sending = Pick<RequestEnvelope, 'traceparent'>;

const checkedInFull = dtoCheck(CreatePayment);

/** The commands of the payments service, each handed to the ledger of its environment. */
@Controller()
export class PaymentsCommands {
  readonly #handlers: Readonly<Record<Environment, PaymentHandlers>>;

  constructor(private readonly ledgers: Ledgers) {
    this.#handlers = { live: new PaymentHandlers(ledgers.live), sandbox: new PaymentHandlers(ledgers.sandbox) };
  }

  @OnRequest(createPayment, {
    check: (payload) => isPlainlyCreatePayment(payload) || checkedInFull(payload),
    limits: WITH_PLACES_TO_WAIT,
  })
  async create(command: CreatePayment, { traceparent }: Sending = {}): Promise<CreatedPayment & MaybeReplayed> {
    refuseLate(command.beginBeforeMs);
    return this.#handlers[command.environment].create(command, traceparent);
  }

  @OnRequest(actOnPayment, { limits: WITH_PLACES_TO_WAIT })
  async act(command: ActOnPayment, { traceparent }: Sending = {}): Promise<PaymentView & MaybeReplayed> {
    refuseLate(command.beginBeforeMs);
    return this.#handlers[command.environment].act(command, traceparent);
  }

  /** Another instance's payment has come to a wallet of ours. */
  @OnRequest(continuePayment, { limits: NEVER_REFUSED })
  async goOn(
    { paymentId, walletId, environment }: ContinuePayment,
    { traceparent }: Sending = {},
  ): Promise<ContinuedPayment> {
    const { position } = await this.ledgers[environment].transfers.continue(paymentId, walletId, traceparent);
    return { position };
  }

  /** Another instance has learnt of a proof of one of our users. */
  @OnRequest(claimHeld)
  async claim({ userId, environment }: ClaimHeld): Promise<ClaimsBegun> {
    const { people, worker } = this.ledgers[environment];
    const user = await orUnavailable(people.user(userId));
    worker.proven((user?.addresses ?? []).map(({ kind, value }) => ({ kind, value, userId })));
    return { userId };
  }

  /** A test bank's money: it exists only with the development tools. */
  @OnRequest(addFunds)
  async addFunds(command: AddFunds): Promise<Balance> {
    const ledger = this.ledgers.live;
    if (!ledger.settings.devTools) throw new SettleError('not_permitted', 'Test money needs DEV_TOOLS=true.');
    await ledger.untilShown(await ledger.deposits.add(command, TEST_SOURCE, ledger.clock.nowUs()));
    return { balanceCents: await ledger.payments.balanceCents(command.userId) };
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
