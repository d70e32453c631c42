import type { WalletEvent } from '../../src/wallet-events.js';
import { create, drive } from './driver.fixture.js';
import { RULES, type Scenario } from './scenario.fixture.js';
import { judge } from './verdict.fixture.js';
import { recover } from './walk.fixture.js';
import { finish, open, worldOf, type World } from './world.fixture.js';

const TRANSFER: Scenario = {
  action: 'pay',
  targetId: 'bob',
  isTrusted: false,
  amountCents: 10,
  feeCents: 1,
  fundsCents: { ann: 11, bob: null, cyd: null },
  sources: { ann: 'none', bob: 'none', cyd: 'none' },
  repays: 'always',
  adapter: 'prefix',
  unitLimit: 1,
  crashRate: 0,
  lossRate: 0,
  journalPace: 0,
  othersRate: 0,
  deeds: [],
  seed: 1,
};

/** A payment whose instance dies right after that step. */
function diedAfter(
  step: 'PaymentCreated' | 'FundsDebited' | 'DebitRefused' | 'FundsCredited',
  annCents: number,
): World {
  const world = worldOf({ ...TRANSFER, fundsCents: { ...TRANSFER.fundsCents, ann: annCents } }, RULES);
  open(world);
  const instance = create(world);
  while (!world.store.log.some(({ event }) => event.type === step)) instance.next();
  return world;
}

/** So many events of others in both wallets. */
function meanwhile({ store }: World, count: number): void {
  for (const key of ['ann', 'bob']) {
    const past = store.wallet(key);
    const startCents = past.at(-1)?.data.balanceCents ?? 0;
    const events = Array.from({ length: count }, (_, index): WalletEvent => {
      const deposit = { paymentId: null, amountCents: 100, sourceId: 'till', attempt: 0, atUs: 1 };
      return { type: 'FundsAdded', data: { ...deposit, balanceCents: startCents + 100 * (index + 1) } };
    });
    finish(store.append([{ kind: 'wallet', key, expectedRevision: past.length - 1, events }]));
  }
}

const LATER = [0, 1, 10_000];

describe.each(['knows nothing', 'knows half', 'knows all'] as const)('given a journal that %s', (journal) => {
  function laterInstance(world: World): void {
    const { length } = world.store.log;
    world.store.journalLength = { 'knows nothing': 0, 'knows half': length >> 1, 'knows all': length }[journal];
    finish(drive(world));
    finish(drive(world));
    recover(world);
    judge(world);
  }

  it.each(LATER)(
    'when a debited payment is driven on %d events later, then it is settled with that one debit',
    (events) => {
      const world = diedAfter('FundsDebited', 11);
      meanwhile(world, events);
      laterInstance(world);
      expect(world.audit.payment.status).toBe('settled');
    },
  );

  it.each(LATER)(
    'when a refused payment is driven on %d events later, then it has failed without a debit',
    (events) => {
      const world = diedAfter('DebitRefused', 10);
      meanwhile(world, events);
      laterInstance(world);
      expect(world.audit.payment.status).toBe('failed');
      expect(world.audit.count('ann', 'FundsDebited')).toBe(0);
    },
  );

  it.each(LATER)('when a credited payment is driven on %d events later, then no second credit follows', (events) => {
    const world = diedAfter('FundsCredited', 11);
    meanwhile(world, events);
    const { length } = world.store.log;
    laterInstance(world);
    expect(world.store.log).toHaveLength(length);
  });

  it.each(LATER)('when a payment only created is driven on %d events later, then on the funds of then', (events) => {
    const world = diedAfter('PaymentCreated', 10);
    meanwhile(world, events);
    laterInstance(world);
    expect(world.audit.payment.status).toBe(events === 0 ? 'failed' : 'settled');
  });
});
