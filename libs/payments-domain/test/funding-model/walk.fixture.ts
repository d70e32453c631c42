import { must } from '../transfer-model/audit.fixture.js';
import { readChanges } from './changes.fixture.js';
import { cancelWithdrawal, deposit, driveFunding, withdraw } from './funding.fixture.js';
import { approve, create, drive, end } from './payments.fixture.js';
import type { Rules } from './rules.fixture.js';
import type { PaymentPlan, Scenario } from './scenario.fixture.js';
import { judge } from './verdict.fixture.js';
import { World } from './world.fixture.js';

type Process = Generator<void, void>;

/**
 * Walks one world to its end, then lets the provider answer everything and the workers finish what crashes left.
 * @returns what came of everything, and the log; throws at the first append that breaks a rule
 */
export function walk(
  seed: number,
  rules: Rules,
  focus: Partial<Scenario> = {},
): { outcomes: readonly string[]; log: readonly string[] } {
  const world = new World(seed, rules, focus);
  try {
    race(world, processesOf(world));
    drain(world);
    return { outcomes: judge(world), log: world.log };
  } catch (error) {
    const message = error instanceof Error ? error.message : 'broken';
    throw new Error(`${message}\n${world.log.join('\n')}`, { cause: error });
  }
}

function processesOf(world: World): Process[] {
  const { chance, scenario } = world;
  const list = [worker(world), worker(world), readChanges(world, 15), readChanges(world, 15)];
  for (const plan of scenario.payments) list.push(...processesOfPayment(world, plan));
  for (const plan of scenario.deposits) list.push(deposit(world, plan), deposit(world, plan));
  for (const plan of scenario.withdrawals) {
    list.push(withdraw(world, plan), withdraw(world, plan));
    if (chance.hits(scenario.actions / 2)) list.push(cancelWithdrawal(world, plan));
  }
  return list;
}

/** Each process takes place with its probability, times how active the users of the world are. */
function processesOfPayment(world: World, plan: PaymentPlan): Process[] {
  const { mode, payer } = plan;
  const ofAny: [number, () => Process][] = [
    [1, () => end(world, plan, 'cancel')],
    [0.7, () => end(world, plan, 'expire')],
  ];
  const ofHold: typeof ofAny = [
    [1, () => end(world, plan, { claimedBy: 'bob' })],
    [1, () => end(world, plan, { claimedBy: 'cyd' })],
    [0.3, () => end(world, plan, { claimedBy: payer })],
  ];
  const ofCharge: typeof ofAny = [
    ...Array.from({ length: 3 }, (): (typeof ofAny)[number] => [1, () => approve(world, plan, payer)]),
    // The address changes its owner.
    [mode === 'request' ? 1 : 0, () => approve(world, plan, 'cyd')],
    [0.3, () => end(world, plan, 'deny')],
  ];
  const ofMode = { transfer: [], hold: ofHold, request: ofCharge, trusted: ofCharge }[mode];
  const { chance, scenario } = world;
  const taken = [...ofAny, ...ofMode].filter(([probability]) => chance.hits(probability * scenario.actions));
  return [create(world, plan), create(world, plan), ...taken.map(([, start]) => start())];
}

/** An instance's worker processes the open work, in any order. */
function* worker(world: World): Process {
  const { payments, withdrawals, deposits } = world.scenario;
  const works = [
    ...payments.map((plan) => () => drive(world, plan)),
    ...withdrawals.map((plan) => () => driveFunding(world, 'withdrawal', plan)),
    ...deposits.map((plan) => () => driveFunding(world, 'deposit', plan)),
  ];
  for (let round = 0; round < 12; round += 1) {
    for (let waits = 0; waits < 5; waits += 1) yield;
    const work = works[world.chance.below(works.length)];
    if (work !== undefined) yield* work();
  }
}

function race(world: World, running: Process[]): void {
  const { chance, scenario, provider } = world;
  while (running.length > 0) {
    world.nowUs += chance.hits(scenario.jumps) ? chance.pick([10, 25, 40]) * 1_000_000 : 200_000;
    if (chance.hits(scenario.pace)) provider.act();
    const index = chance.below(running.length);
    if (chance.hits(scenario.crashes) || running[index]?.next().done === true) running.splice(index, 1);
  }
}

/** Everything crashed is up again and the provider answers everything. */
function drain(world: World): void {
  const { provider, scenario } = world;
  world.isDraining = true;
  provider.isReliable = true;
  let size = '';
  for (let round = 0, quiet = 0; quiet < 4; round += 1) {
    must(round < 60, 'work is left that never ends');
    world.nowUs += 40_000_000;
    provider.answerAll();
    for (const plan of scenario.payments) finish(drive(world, plan));
    for (const plan of scenario.withdrawals) finish(driveFunding(world, 'withdrawal', plan));
    for (const plan of scenario.deposits) finish(driveFunding(world, 'deposit', plan));
    finish(readChanges(world, 5));
    quiet = world.size() === size ? quiet + 1 : 0;
    size = world.size();
  }
}

export function finish<Result>(process: Generator<void, Result>): Result {
  for (;;) {
    const { done, value } = process.next();
    if (done === true) return value;
  }
}
