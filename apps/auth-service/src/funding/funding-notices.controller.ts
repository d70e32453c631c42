import { Controller } from '@nestjs/common';
import {
  NotifyConfirmation,
  NotifyFundingOutcome,
  notifyConfirmation,
  notifyFundingOutcome,
  type FundingNotice,
} from '@settle/contracts';
import { OnRequest } from '@settle/messaging';
import { readOrThrowUnavailable } from '@settle/postgres';
import { FundingNotices } from './funding-notices.js';

/** Takes requests of payments-service, which does not know the addresses of users. */
@Controller()
export class FundingNoticesController {
  constructor(private readonly notices: FundingNotices) {}

  @OnRequest(notifyConfirmation)
  async confirmation({ userId, chargeKey }: NotifyConfirmation): Promise<FundingNotice> {
    return { isNew: await readOrThrowUnavailable(this.notices.requestConfirmation(userId, chargeKey)) };
  }

  @OnRequest(notifyFundingOutcome)
  async outcome({ userId, outcome, id }: NotifyFundingOutcome): Promise<FundingNotice> {
    return { isNew: await readOrThrowUnavailable(this.notices.notifyOutcome(userId, outcome, id)) };
  }
}
