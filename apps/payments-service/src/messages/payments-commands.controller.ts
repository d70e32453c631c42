import { LIMITS } from '@settle/config';
import {
  ActOnPayment,
  ClaimHeld,
  ContinuePayment,
  CreatePayment,
  actOnPayment,
  claimHeld,
  continuePayment,
  createPayment,
} from '@settle/contracts';
import { OnRequest, type RequestEnvelope } from '@settle/messaging';
import { Controller } from '@nestjs/common';
import { orUnavailable } from '../storage/database-unavailable.js';
import { Ledgers } from '../ledger/ledgers.js';
import { refuseLate } from './refuse-late.js';

const { requestsInProgress, requestsWaiting } = LIMITS.messaging;
const { waitingForOwners, waitingOwnerRequests, fundingWaits } = LIMITS.payments;
/** Payments that wait for other owners, or for the provider, must not take the slots of those that could run. */
const WITH_WAIT_SLOTS = { inProgress: requestsInProgress + waitingForOwners + fundingWaits, waiting: requestsWaiting };
/** The requesting payment has begun: refused, its money would be in transit until the worker completes it. */
const NEVER_REFUSED = { inProgress: requestsInProgress, waiting: waitingOwnerRequests };

/** Fields of the message beside its payload. */
type MessageFields = Pick<RequestEnvelope, 'traceparent'>;

/** Receives the commands of the payments service and passes each to the ledger of its environment. */
@Controller()
export class PaymentsCommands {
  constructor(private readonly ledgers: Ledgers) {}

  @OnRequest(createPayment, { limits: WITH_WAIT_SLOTS })
  async create(command: CreatePayment, { traceparent }: MessageFields = {}) {
    refuseLate(command.beginBeforeMs);
    return this.ledgers[command.environment].createPayment.handle(command, traceparent);
  }

  @OnRequest(actOnPayment, { limits: WITH_WAIT_SLOTS })
  async act(command: ActOnPayment, { traceparent }: MessageFields = {}) {
    refuseLate(command.beginBeforeMs);
    return this.ledgers[command.environment].actOnPayment.handle(command, traceparent);
  }

  /** Another instance's payment needs steps of a wallet that this instance owns. */
  @OnRequest(continuePayment, { limits: NEVER_REFUSED })
  async continue({ paymentId, walletId, environment }: ContinuePayment, { traceparent }: MessageFields = {}) {
    const request = { walletIds: [walletId], requestedWalletId: walletId, traceparent };
    const { runner, funding } = this.ledgers[environment];
    const result = await runner.advance(paymentId, null, request);
    funding?.askSoon(result);
    return { position: result.position };
  }

  /** Another instance has received a verified address of a user whose wallet this instance owns. */
  @OnRequest(claimHeld)
  async claim({ userId, environment }: ClaimHeld) {
    const { users, worker } = this.ledgers[environment];
    const user = await orUnavailable(users.findUser(userId));
    worker.queueVerified((user?.addresses ?? []).map(({ kind, value }) => ({ kind, value, userId })));
    return { userId };
  }
}
