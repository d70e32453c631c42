import { randomUUID } from 'node:crypto';
import type { UserRecord } from '@settle/contracts';
import type { EventStore } from '@settle/event-store';
import { decideWallet } from '@settle/payments-domain';
import { newWalletEvent } from '../../src/storage/step-ids.js';
import { walletStream } from '../../src/storage/streams.js';
import { emptyWallet } from '../../src/transfer/transfer-progress.js';
import { WalletCache } from '../../src/transfer/wallet-cache.js';
import { LedgerLab, type LabInstance } from './ledger-lab.fixture.js';
import { anEmail, createCommand, person } from './people.fixture.js';
import { StoppingStore } from './stopping-store.fixture.js';

const EVENTS_PER_UNIT = 1_000;
const CARD = { fundingSourceId: 'test-card-1' };

interface Cut {
  /** The last step that the stopped process stored. */
  readonly after: string;
  /** The commands of two other instances, at once and again later. */
  readonly next: string;
  readonly payer?: Partial<UserRecord>;
  readonly isHeld?: true;
  readonly status: string;
}

const CUTS: readonly Cut[] = [
  { after: 'PaymentCreated', next: 'FundsDebited', status: 'settled' },
  { after: 'PaymentSettled', next: 'FundsCredited', status: 'settled' },
  { after: 'FundingRequested', next: 'FundsAdded', payer: CARD, status: 'settled' },
  { after: 'PaymentCancelled', next: 'FundsReturned', isHeld: true, status: 'cancelled' },
];
const REPETITIONS = CUTS.flatMap((cut) => [1, 10_000].map((events) => ({ ...cut, events })));

describe('a step of a payment', () => {
  let lab: LedgerLab;
  let instances: readonly [LabInstance, LabInstance];

  beforeEach(async () => {
    lab = await LedgerLab.open();
    instances = [await lab.instance(), await lab.instance()];
  });
  afterEach(() => lab.close());

  /** A payment whose process stopped after a step. Every instance has seen the wallets before, and keeps them. */
  async function stopped({ after, payer: traits, isHeld }: Omit<Cut, 'next' | 'status'>) {
    let store: StoppingStore | undefined;
    const failing = await lab.instance({ wrapStore: (inner) => (store = new StoppingStore(inner)) });
    const [payer, payee] = [person(traits), person()];
    await lab.know(payer, payee);
    for (const { commands } of [...instances, failing]) await commands.create(createCommand(payee, payer));
    if (traits === undefined && after !== 'DebitRefused') await instances[0].fund(payer, 100);
    const command = createCommand(payer, isHeld ? anEmail() : payee);
    if (isHeld) await failing.commands.create(command);
    store?.stopAfter(after);
    const running = isHeld ? failing.act(payer, 'cancel', command.paymentId) : failing.commands.create(command);
    await expect(running).rejects.toThrow();
    await failing.stop();
    return { payer, payee, paymentId: command.paymentId };
  }

  const bringOn = (drivers: readonly LabInstance[], paymentId: string) =>
    Promise.all(drivers.map(({ ledger }) => ledger.transfers.advance(paymentId, null)));

  async function stepsOf(paymentId: string, type: string): Promise<number> {
    await lab.caughtUp();
    const lines = 'select from ledger_entries where payment_id = $1 and event_type = $2';
    return (await lab.pool.query(lines, [paymentId, type])).rowCount ?? 0;
  }

  it.each(REPETITIONS)(
    'given $after, when two take the next step at once, and again after $events more events and a restart, then $next is there once',
    async ({ next, events, status, ...cut }) => {
      const { payer, payee, paymentId } = await stopped(cut);
      const stale = await lab.instance();
      await bringOn(instances, paymentId);
      // From here the journal falls behind, as it may at any time.
      for (const { ledger } of [...instances, stale]) await ledger.projector.stop();
      for (const who of [payer, payee]) await deposit(instances[0].store, who, events);
      await bringOn([...instances, stale], paymentId);
      const restarted = await lab.instance();
      const [brought] = await bringOn([restarted, ...instances], paymentId);
      expect(brought?.payment.status).toBe(status);
      expect(await stepsOf(paymentId, next)).toBe(1);
      await lab.expectInOrder();
    },
  );

  it('given a refusal and 10,000 events of money later, when another instance goes on, then failed and no debit', async () => {
    const { payer, payee, paymentId } = await stopped({ after: 'DebitRefused' });
    for (const { ledger } of instances) await ledger.projector.stop();
    await deposit(instances[0].store, payer, 10_000);
    const [brought] = await bringOn([instances[1]], paymentId);
    expect(brought?.payment.status).toBe('failed');
    const restarted = await lab.instance();
    expect(await stepsOf(paymentId, 'FundsDebited')).toBe(0);
    expect((await restarted.view(payee, paymentId)).status).toBe('failed');
    expect(await restarted.balance(payer)).toBe(10_000);
    await lab.expectInOrder();
  });
});

/** Puts one cent into a wallet so many times, past every instance's memory. */
async function deposit(store: EventStore, { card: { id: walletId } }: UserRecord, times: number): Promise<void> {
  const wallets = new WalletCache(store, { remembersSteps: false, emptyWallet: emptyWallet(0) });
  let { isOpen, balanceCents, revision } = (await wallets.readNewest(walletId)).tail;
  const facts = Array.from({ length: times }).flatMap(() => {
    const command = { type: 'deposit', amountCents: 1, sourceId: 'lab', atUs: 1 } as const;
    const decided = decideWallet(command, { isOpen, balanceCents });
    isOpen = true;
    balanceCents += 1;
    return decided;
  });
  for (let first = 0; first < facts.length; first += EVENTS_PER_UNIT) {
    const events = facts
      .slice(first, first + EVENTS_PER_UNIT)
      .map((fact) => newWalletEvent(walletId, fact, randomUUID()));
    await store.append([{ stream: walletStream(walletId), expectedRevision: revision, events }]);
    revision += events.length;
  }
}
