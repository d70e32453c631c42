import { LIMITS } from '@settle/config';
import { InMemoryEventStore, type EventStore } from '@settle/event-store';
import { NO_STEPS } from '@settle/payments-domain';
import { altered } from '../../test/ledger-lab/altered-store.fixture.js';
import { emptyWallet } from './transfer-progress.js';
import { WalletCache } from './wallet-cache.js';

describe('WalletCache', () => {
  it('given wallets that are not cached, when they are loaded, then their reads begin in one turn and are not repeated', async () => {
    const store = new InMemoryEventStore();
    let finish = () => {};
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const begun: string[] = [];
    const readStream: EventStore['readStream'] = async (stream, options) => {
      begun.push(stream);
      await finished;
      return store.readStream(stream, options);
    };
    const options = { remembersSteps: false, emptyWallet: emptyWallet(0) };
    const wallets = new WalletCache(altered(store, { readStream }), options);
    const loads = [wallets.load(['1', '2']), wallets.load(['2', '3'])];
    expect(begun).toEqual(['wallet-1', 'wallet-2', 'wallet-3']);
    finish();
    await Promise.all(loads);
    await wallets.load(['1', '2', '3']);
    expect(begun).toHaveLength(3);
    expect([...wallets.tailsOf(['1', '2', '3']).keys()]).toEqual(['1', '2', '3']);
  });

  it('given an append that failed, when more steps are stored than are remembered, then the oldest are dropped all the same', async () => {
    const wallets = new WalletCache(new InMemoryEventStore(), { remembersSteps: true, emptyWallet: emptyWallet(0) });
    await wallets.load(['1', '2']);
    const decide = (userId: string, paymentId: string) =>
      wallets.recordDecision(userId, emptyWallet(0), { paymentId, steps: NO_STEPS });
    decide('1', 'failed');
    wallets.recordFailed('1', 'failed');
    for (let position = 1; position <= LIMITS.payments.stepsRemembered + 1; position += 1) {
      decide('2', `${position}`);
      wallets.recordStored('2', `${position}`, position);
    }
    const isKnown = (paymentId: number) => wallets.stepsSince(paymentId, '2', `${paymentId}`) !== null;
    expect([isKnown(1), isKnown(2)]).toEqual([false, true]);
  });
});
