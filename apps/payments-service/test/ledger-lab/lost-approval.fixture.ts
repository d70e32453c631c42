import type { EventStore } from '@settle/event-store';
import { altered } from './altered-store.fixture.js';
import type { LabInstance, LedgerLab } from './ledger-lab.fixture.js';
import { person } from './people.fixture.js';
import { stepOf } from './stopping-store.fixture.js';

/**
 * A user approves a request with a card, and it is cancelled after that was decided and before it is stored: the
 * source is asked for a payment that has ended.
 */
export async function loseApproval(lab: LedgerLab, instance: LabInstance) {
  const [requester, payer] = [person(), person({ fundingSourceId: 'test-card-1' })];
  const asking = signal();
  const cancelled = signal();
  const slow = await lab.instance({
    wrapStore: (store: EventStore) =>
      altered(store, {
        append: async (unit) => {
          if (unit.some((append) => stepOf(append) === 'FundingRequested')) {
            asking.give();
            await cancelled.given;
          }
          return store.append(unit);
        },
      }),
  });
  await lab.know(requester, payer);
  const { payment } = await instance.create(requester, payer, { action: 'charge' });
  const approving = slow.act(payer, 'approve', payment.id);
  await asking.given;
  await instance.act(requester, 'cancel', payment.id);
  cancelled.give();
  const [approval] = await Promise.allSettled([approving]);
  return { approval, paymentId: payment.id, payer, requester };
}

/** A promise, and what resolves it. */
export function signal() {
  let give: () => void = () => undefined;
  const given = new Promise<void>((resolve) => (give = resolve));
  return { given, give };
}
