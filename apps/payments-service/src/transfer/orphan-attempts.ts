import type { EventStore } from '@settle/event-store';
import { chargeKeyOf, type StepContext } from '@settle/payments-domain';
import { fundingStream } from '../storage/streams.js';

/** More attempts than lie between two of which the provider knows: an attempt that never reached it leaves a gap. */
const ATTEMPTS_PER_READ = 5;
const ANY_EVENT = { direction: 'backwards', limit: 1 } as const;

/**
 * Returns the newest attempt of a payment and user whose charge only a contradiction names, such as one from before a
 * restore: its key must never be used again. It reads the log itself, because read models may be behind. Errors: the store's.
 * @param attempt newest attempt that the wallet names
 */
export async function readOrphanAttempts(
  store: Pick<EventStore, 'readStream'>,
  { paymentId, userId, attempt }: { readonly paymentId: string; readonly userId: string; readonly attempt: number },
): Promise<Required<Pick<StepContext, 'orphanAttemptOf'>>> {
  let newest = 0;
  for (let first = attempt + 1, isEnd = false; !isEnd; first += ATTEMPTS_PER_READ) {
    const attempts = Array.from({ length: ATTEMPTS_PER_READ }, (_, index) => first + index);
    const isOrphan = await Promise.all(
      attempts.map(async (each) => {
        const stream = fundingStream('contradiction', chargeKeyOf(paymentId, userId, each));
        return (await store.readStream(stream, ANY_EVENT)).length > 0;
      }),
    );
    newest = Math.max(newest, ...attempts.filter((_, index) => isOrphan[index]));
    isEnd = !isOrphan.includes(true);
  }
  return { orphanAttemptOf: (walletId) => (walletId === userId ? newest : 0) };
}
