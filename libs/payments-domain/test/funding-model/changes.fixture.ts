import { NO_CHARGE, type ChargeState } from '../../src/charges.js';
import {
  repaymentResult,
  payoutResult,
  type ChargeProviderState,
  type PayoutProviderState,
} from '../../src/provider-answers.js';
import { lateRepaymentAnswer, payoutChange, type ChargeOwner, type ChangeStep } from '../../src/provider-changes.js';
import {
  NO_REVERSAL,
  evolveReversal,
  nextReversalStep,
  reversalEvents,
  type ReversalState,
} from '../../src/reversal.js';
import type { WalletCommand } from '../../src/wallet.js';
import { NO_WITHDRAWAL, evolveWithdrawal, type WithdrawalState } from '../../src/withdrawal.js';
import { callProvider } from './calls.fixture.js';
import { depositIn, driveFunding, fundingStepsIn } from './funding.fixture.js';
import { stepsIn } from './payment-view.fixture.js';
import { drive } from './payments.fixture.js';
import type { Change } from './provider.fixture.js';
import { TOTAL_CENTS } from './scenario.fixture.js';
import { walletOf, type World } from './world.fixture.js';

type Process<Result = boolean> = Generator<void, Result>;

const EXPECTED = { amountCents: TOTAL_CENTS, isMissingFinal: false };

/** Applies a change of the provider. Returns true once all that it leads to is stored. */
export function applyChange(world: World, { kind, key }: Change): Process {
  switch (kind) {
    case 'charge':
      return applyCharge(world, key);
    case 'repayment':
      return applyRepayment(world, key);
    case 'payout':
      return applyPayout(world, key);
    case 'reversal':
      return applyReversal(world, key);
  }
}

/** The key names what the charge is for: `<payment>:<user>:<attempt>`, or the deposit. */
function ownerOf(chargeKey: string): ChargeOwner {
  const [id = '', walletId, attempt] = chargeKey.split(':');
  const common = { chargeKey, sourceId: 'card', totalCents: TOTAL_CENTS };
  if (walletId === undefined) return { ...common, walletId: 'ann', paymentId: null, fundingId: id, attempt: 1 };
  return { ...common, walletId, paymentId: id, fundingId: null, attempt: Number(attempt) };
}

function* driveOwner(world: World, { paymentId, fundingId }: ChargeOwner): Process<void> {
  const payment = world.scenario.payments.find(({ id }) => id === paymentId);
  if (payment !== undefined) yield* drive(world, payment);
  const deposit = world.scenario.deposits.find(({ id }) => id === fundingId);
  if (deposit !== undefined) yield* driveFunding(world, 'deposit', deposit);
}

function walletAtEnd(world: World, walletId: string) {
  return world.rules.readsChangesAtEnd ? world.current('wallet', walletId) : world.read('wallet', walletId);
}

function append(world: World, walletId: string, command: WalletCommand | null): void {
  if (command === null) return;
  const wallet = walletAtEnd(world, walletId);
  const events = world.rules.decideWallet(command, walletOf(wallet));
  world.append({ kind: 'wallet', key: walletId, revision: wallet.length, events });
}

/** The state of the charge in the wallet, and whether our "no" is stored. */
function knownOf(world: World, { walletId, paymentId, fundingId, chargeKey }: ChargeOwner) {
  const wallet = walletAtEnd(world, walletId);
  const { charges } = paymentId === null ? fundingStepsIn(wallet, fundingId ?? '') : stepsIn(wallet, paymentId);
  const charge: ChargeState = charges.get(chargeKey) ?? NO_CHARGE;
  const isFailed = fundingId !== null && depositIn(world, fundingId, world.rules.readsChangesAtEnd).status === 'failed';
  return { charge, isRefused: charge.isRefused || isFailed };
}

function* applyCharge(world: World, key: string): Process {
  const owner = ownerOf(key);
  for (let tries = 0; tries < 10; tries += 1) {
    const answer = world.provider.get('charge', key);
    yield;
    yield* driveOwner(world, owner);
    const result = world.rules.chargeResult(answer as typeof answer & { state: ChargeProviderState }, EXPECTED);
    const step = world.rules.chargeChange(owner, knownOf(world, owner), { result, atUs: world.nowUs });
    if (step.kind === 'applied' || step.kind === 'contradiction') return true;
    if (step.kind === 'wallet') append(world, owner.walletId, step.command);
    if (step.kind === 'repay' && !(yield* repayLate(world, owner, step))) return false;
    yield;
  }
  return false;
}

/** Returns false if the provider did not answer. */
function* repayLate(world: World, owner: ChargeOwner, step: Extract<ChangeStep, { kind: 'repay' }>): Process {
  const { key, order, beginBeforeUs = 0 } = step;
  const request = { key, chargeKey: owner.chargeKey, amountCents: order.totalCents, beginBeforeUs, isEnded: false };
  const { answer, ...expected } = yield* callProvider<PayoutProviderState>(world, { kind: 'repayment', ...request });
  const { kind } = repaymentResult(answer, expected);
  if (kind === 'unknown' || kind === 'contradiction') return false;
  const given = { key, answer: kind, atUs: world.nowUs };
  append(world, owner.walletId, lateRepaymentAnswer(owner, knownOf(world, owner).charge, given));
  return true;
}

function* applyRepayment(world: World, key: string): Process {
  const owner = ownerOf(world.provider.repayments.get(key)?.chargeKey ?? '');
  for (let tries = 0; tries < 10; tries += 1) {
    const answer = world.provider.get('repayment', key);
    yield;
    if (!(yield* applyCharge(world, owner.chargeKey))) return false;
    const result = repaymentResult(answer as typeof answer & { state: PayoutProviderState }, EXPECTED);
    const { charge } = knownOf(world, owner);
    const step = world.rules.repaymentChange(owner, charge, { key, result, atUs: world.nowUs });
    if (step.kind === 'applied' || step.kind === 'contradiction') return true;
    if (step.kind === 'wallet') append(world, owner.walletId, step.command);
    yield;
  }
  return false;
}

function* applyPayout(world: World, key: string): Process {
  const plan = world.scenario.withdrawals.find(({ id }) => id === key);
  for (let tries = 0; tries < 10 && plan !== undefined; tries += 1) {
    const answer = world.provider.get('payout', key);
    yield;
    yield* driveFunding(world, 'withdrawal', plan);
    const { rules } = world;
    const events = rules.readsChangesAtEnd ? world.current('withdrawal', key) : world.read('withdrawal', key);
    const state = events.reduce<WithdrawalState>(evolveWithdrawal, NO_WITHDRAWAL);
    const result = payoutResult(answer as typeof answer & { state: PayoutProviderState }, EXPECTED);
    const step = payoutChange(state, result);
    if (step.kind !== 'advance') return true;
    const answered = rules.payoutAnswer(state, result, world.nowUs);
    world.append({ kind: 'withdrawal', key, revision: events.length, events: answered });
    yield;
  }
  return false;
}

/** The reversal's own stream decides; the wallet follows once the charge's money is in it. */
function* applyReversal(world: World, key: string): Process {
  for (let tries = 0; tries < 20; tries += 1) {
    const reversal = world.provider.reversals.get(key);
    if (reversal === undefined) return true;
    const { state: shown, chargeKey, amountCents } = reversal;
    yield;
    const owner = ownerOf(chargeKey);
    const { walletId: userId, paymentId, fundingId } = owner;
    const stream = world.read('reversal', key);
    const before = stream.reduce<ReversalState>(evolveReversal, NO_REVERSAL);
    const opened = { chargeKey, userId, paymentId, fundingId, amountCents };
    const events = reversalEvents(before, { state: shown, opened }, world.nowUs);
    if (events.length > 0) world.append({ kind: 'reversal', key, revision: stream.length, events });
    const state = reversalAtEnd(world, key);
    const step = nextReversalStep(key, { state, charge: knownOf(world, owner).charge }, world.nowUs);
    if (step.kind === 'wallet') append(world, step.walletId, step.command);
    else if (step.kind === 'charge-first') {
      if (!(yield* applyCharge(world, chargeKey))) return false;
    } else if (state.status === shown || (shown === 'open' && state.status !== 'none')) return true;
    yield;
  }
  return false;
}

function reversalAtEnd(world: World, key: string): ReversalState {
  const events = world.rules.readsChangesAtEnd ? world.current('reversal', key) : world.read('reversal', key);
  return events.reduce<ReversalState>(evolveReversal, NO_REVERSAL);
}

/** Reads the list of changes from the stored cursor, and follows callbacks in any order. */
export function* readChanges(world: World, rounds: number): Process<void> {
  const { provider, chance, rules } = world;
  for (let round = 0; round < rounds; round += 1) {
    for (let waits = 0; waits < 5; waits += 1) yield;
    if (!world.isDraining && provider.changes.length > 0 && chance.hits(world.scenario.callbacks)) {
      const hint = provider.changes[chance.below(provider.changes.length)];
      if (hint !== undefined) yield* applyChange(world, hint);
      continue;
    }
    const at = world.cursor;
    const next = provider.changes[at];
    if (next === undefined) continue;
    if (!rules.movesCursorLast) {
      world.cursor = Math.max(world.cursor, at + 1);
      yield;
    }
    if (yield* applyChange(world, next)) world.cursor = Math.max(world.cursor, at + 1);
  }
}
