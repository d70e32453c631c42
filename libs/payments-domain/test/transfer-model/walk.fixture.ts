import type { PaymentCommand } from '../../src/payment-decisions.js';
import { NO_WALLET, decideWallet, evolveWallet, type WalletCommand } from '../../src/wallet.js';
import { must } from './audit.fixture.js';
import { act, create, drive, isAtRest } from './driver.fixture.js';
import { PEOPLE, type Deed, type Rules, type Scenario } from './scenario.fixture.js';
import { judge } from './verdict.fixture.js';
import type { View } from './view.fixture.js';
import { finish, open, worldOf, type World } from './world.fixture.js';

type Process = Generator<void, void | View | null>;

/**
 * Walks one world to its end, then lets the worker finish what crashes left.
 * @returns how the payment ended; throws at the first prefix of the log that breaks a rule
 */
export function walk(scenario: Scenario, rules: Rules): string {
  const world = worldOf(scenario, rules);
  try {
    open(world);
    race(world, [...scenario.deeds.map((deed, index) => processOf(world, deed, index)), follower(world)]);
    recover(world);
    judge(world);
  } catch (error) {
    const log = world.store.log.map(({ kind, key, revision, event }) => `${kind}-${key}@${revision} ${event.type}`);
    throw new Error(`${error instanceof Error ? error.message : 'broken'}\n${log.join('\n')}`, { cause: error });
  }
  const { payment } = world.audit;
  return payment.status === 'none' ? 'none' : `${payment.facts.mode} ${payment.status}`;
}

function processOf(world: World, deed: Deed, index: number): Process {
  const { targetId } = world.scenario;
  const refundId = `r${index}`;
  const atUs = 2_000;
  const someoneId = targetId ?? world.chance.pick(['bob', 'cyd', null]);
  const run = (command: PaymentCommand, ids: readonly string[]) => act(world, command, ids);
  switch (deed.type) {
    case 'create':
      return create(world);
    case 'work':
      return drive(world);
    case 'traffic':
      return traffic(world, index);
    case 'expire':
      return run({ type: 'expire', targetUserId: someoneId, refundId, dueAfterUs: 0, atUs }, []);
    case 'cancel':
      return run({ type: 'cancel', byUserId: 'ann', targetUserId: someoneId, refundId, atUs }, ['ann']);
    case 'claim':
      return run({ type: 'claim', claimantId: deed.by, refundId, atUs }, [deed.by]);
    case 'approve':
    case 'deny':
      return run({ type: deed.type, byUserId: deed.by, targetUserId: targetId ?? deed.by, refundId, atUs }, [deed.by]);
  }
}

/** Other payments move the same wallets meanwhile. */
function* traffic({ store, chance }: World, index: number): Generator<void> {
  for (let round = 0; round < 4; round += 1) {
    const id = chance.pick(PEOPLE);
    const events = store.wallet(id);
    yield;
    const paymentId = `other-${index}-${round}`;
    const amountCents = 1 + chance.below(12);
    const command: WalletCommand = chance.hits(0.5)
      ? { type: 'deposit', amountCents, sourceId: 'till', atUs: 1 }
      : { type: 'debit', paymentId, amountCents, feeCents: 0, sourceId: null, attempt: 1, isCreation: true, atUs: 1 };
    const facts = decideWallet(command, events.slice(-1).reduce(evolveWallet, NO_WALLET));
    yield* store.append([{ kind: 'wallet', key: id, expectedRevision: events.length - 1, events: facts }]);
  }
}

/** The journal's projector: behind the log, by how much is chance. */
function* follower({ store, chance, scenario }: World): Generator<void> {
  for (let moves = 0; moves < 60; moves += 1) {
    yield;
    store.journalLength = Math.min(store.log.length, store.journalLength + chance.below(scenario.journalPace + 1));
  }
}

function race({ chance, scenario }: World, processes: Process[]): void {
  while (processes.length > 0) {
    const index = chance.below(processes.length);
    const isOver = chance.hits(scenario.crashRate) || processes[index]?.next().done === true;
    if (isOver) processes.splice(index, 1);
  }
}

/** Everything crashed is up again, the journal has caught up, the sources answer: the owners' workers end what is open. */
export function recover(world: World): void {
  world.source.isReachable = true;
  world.othersRate = 0;
  world.store.journalLength = world.store.log.length;
  for (let sweep = 0; sweep < 4; sweep += 1) {
    const view = finish(drive(world));
    world.store.journalLength = world.store.log.length;
    if (view !== null && isAtRest(world, view)) return;
  }
  must(false, 'the worker found no end');
}
