import { Controller } from '@nestjs/common';
import { NotifyConfirmation, notifyConfirmation, type ConfirmationNotice } from '@settle/contracts';
import { OnRequest } from '@settle/messaging';
import { readOrThrowUnavailable } from '@settle/postgres';
import { FundingNotices } from './funding-notices.js';

/** Takes requests of payments-service, which does not know the addresses of users. */
@Controller()
export class ConfirmationNoticesController {
  constructor(private readonly notices: FundingNotices) {}

  @OnRequest(notifyConfirmation)
  async notify({ userId, chargeKey }: NotifyConfirmation): Promise<ConfirmationNotice> {
    return { isNew: await readOrThrowUnavailable(this.notices.requestConfirmation(userId, chargeKey)) };
  }
}
