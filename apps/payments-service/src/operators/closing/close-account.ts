import { sleep } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import type { CloseCommand } from '@settle/contracts';
import { awaitReadModels, type ClosingPlace } from './closing-place.js';
import { endPendingRequests } from './end-pending.js';
import { eraseTexts } from './erase-texts.js';
import { findMoneyUnderWay } from './money-under-way.js';

/**
 * Takes a step of payments-service in closing an account, of `CLOSE_STEPS`. Returns the command's output. Errors: why the
 * account cannot be closed yet, one line each; those of the store and the database.
 */
export async function closeAccount(place: ClosingPlace, { step, userId }: CloseCommand): Promise<string> {
  switch (step) {
    case 'check':
      await awaitReadModels(place);
      await refuseUnlessSettled(place, userId);
      return '  the balance is zero';
    case 'settle': {
      // Commands that began before the user was frozen have ended by then.
      await sleep(LIMITS.gateway.commandGiveUpMs);
      const ended = await endPendingRequests(place, userId);
      await refuseUnlessSettled(place, userId);
      return `  ${ended} pending requests are cancelled or denied`;
    }
    case 'texts':
      await refuseUnlessSettled(place, userId);
      await eraseTexts(place.pool, userId);
      return '  the key of notes is destroyed';
    default:
      throw new Error(`The step ${step} is not one of payments-service`);
  }
}

async function refuseUnlessSettled({ pool }: ClosingPlace, userId: string): Promise<void> {
  const reasons = await findMoneyUnderWay(pool, userId);
  if (reasons.length > 0) throw new Error(['It cannot be closed yet:', ...reasons].join('\n  '));
}
