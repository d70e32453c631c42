import { PeriodicTask } from '@settle/concurrency';
import type { Logger } from '@settle/observability';
import { findCard } from '../cards/cards.js';
import type { BookObject } from './book-object.js';
import { createId, type Books } from './books.js';
import type { BooksWriter } from './books-writer.js';
import { create, move } from './lifecycle.js';
import { remainingCents } from './payouts.js';

const EVERY_MS = 100;
const RETRY_MAX_MS = 5_000;

/** Returns the task that does what test cards do later. Start it, and stop it before the pool ends. */
export function dueStepsTask(books: Books, logger: Logger): PeriodicTask {
  return new PeriodicTask({
    run: async () => {
      if (!(await books.hasDueSteps())) return;
      await books.write(applyDueSteps);
      return 'repeat';
    },
    everyMs: EVERY_MS,
    retryMaxMs: RETRY_MAX_MS,
    onError: (error) => logger.warn({ err: error }, 'the steps of test cards failed; retrying'),
  });
}

async function applyDueSteps(writer: BooksWriter): Promise<void> {
  for (const { kind, key, step } of await writer.takeDueSteps()) {
    const object = await writer.find(kind, key);
    if (object === null) continue;
    if (step.type === 'reverse') await reverse(writer, object);
    // Cancelled or confirmed meanwhile: the step no longer applies.
    else if (object.state === step.from) await move(writer, object, step.to, step.code);
  }
}

/** Opens the reversal of a charge, of what was not repaid. */
async function reverse(writer: BooksWriter, charge: BookObject): Promise<void> {
  const share = findCard(charge.cardNumber ?? '')?.reversal?.share;
  const remaining = remainingCents(charge, await writer.findOfCharge(charge.key));
  const cents = share === 'half' ? Math.min(remaining, Math.ceil((charge.amountCents ?? 0) / 2)) : remaining;
  if (cents <= 0) return;
  const id = createId('rv');
  await create(writer, {
    ...{ kind: 'reversal', key: id, id, state: 'open', amountCents: cents, chargeKey: charge.key },
    ...{ code: null, actionExpiresAt: null, content: null, source: null, cardNumber: charge.cardNumber },
  });
}
