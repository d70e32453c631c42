import { LIMITS } from '@settle/config';
import {
  AdvanceFunding,
  BeginSource,
  CancelWithdrawal,
  EndSource,
  GetFunding,
  KeepSource,
  RequestDeposit,
  RequestWithdrawal,
  advanceFunding,
  beginSource,
  cancelWithdrawal,
  endSource,
  getFunding,
  keepSource,
  requestDeposit,
  requestWithdrawal,
  type FundingOverview,
} from '@settle/contracts';
import { OnRequest } from '@settle/messaging';
import { Controller } from '@nestjs/common';
import { noProvider } from '../funding/funding-errors.js';
import { Ledgers } from '../ledger/ledgers.js';
import { orUnavailable } from '../storage/database-unavailable.js';
import { refuseLate } from './refuse-late.js';

const { requestsInProgress, requestsWaiting } = LIMITS.messaging;
/** Commands that wait for the provider must not take the slots of payments. */
const SLOTS = { inProgress: requestsInProgress + LIMITS.payments.fundingWaits, waiting: requestsWaiting };

/** Receives the messages about money from and to the outside. Only the live ledger has any. */
@Controller()
export class FundingMessages {
  constructor(private readonly ledgers: Ledgers) {}

  @OnRequest(beginSource, { limits: SLOTS })
  async begin(command: BeginSource) {
    return this.#units().beginSource.handle(command);
  }

  @OnRequest(keepSource, { limits: SLOTS })
  async keep(command: KeepSource) {
    return this.#units().keepSource.handle(command);
  }

  @OnRequest(endSource, { limits: SLOTS })
  async end(command: EndSource) {
    return this.#units().endSource.handle(command);
  }

  @OnRequest(requestDeposit, { limits: SLOTS })
  async deposit(command: RequestDeposit) {
    refuseLate(command.beginBeforeMs);
    return this.#units().requestDeposit.handle(command);
  }

  @OnRequest(requestWithdrawal, { limits: SLOTS })
  async withdraw(command: RequestWithdrawal) {
    refuseLate(command.beginBeforeMs);
    await this.ledgers.live.projectionWaiter.beforeRead();
    return this.#units().requestWithdrawal.handle(command);
  }

  @OnRequest(cancelWithdrawal, { limits: SLOTS })
  async cancel(command: CancelWithdrawal) {
    return this.#units().cancelWithdrawal.handle(command);
  }

  /** Another instance has learned of a change of a deposit, withdrawal or reversal whose wallet this instance owns. */
  @OnRequest(advanceFunding, { limits: SLOTS })
  async advance({ kind, fundingId }: AdvanceFunding) {
    await orUnavailable(this.#units().runner.advance({ kind, id: fundingId }));
    return { fundingId };
  }

  @OnRequest(getFunding)
  async overview(query: GetFunding): Promise<FundingOverview> {
    const { fundingUnits, payments, projectionWaiter } = this.ledgers.live;
    await projectionWaiter.beforeRead();
    if (fundingUnits !== null) return orUnavailable(fundingUnits.getFunding.handle(query));
    const balanceCents = await orUnavailable(payments.readBalanceCents(query.userId));
    const none = {
      isAvailable: false,
      isLive: false,
      withdrawableCents: 0,
      sources: [],
      items: [],
      nextBeforeUs: null,
    };
    return { ...none, balanceCents };
  }

  #units() {
    const { fundingUnits } = this.ledgers.live;
    if (fundingUnits === null) throw noProvider();
    return fundingUnits;
  }
}
