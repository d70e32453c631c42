import { NO_DEPOSIT, evolveDeposit, type DepositState } from '../../src/deposit.js';
import type { FundingStep, FundingUnit } from '../../src/next-funding-step.js';
import {
  beginBeforeUsAt,
  payoutResult,
  type ChargeProviderState,
  type PayoutProviderState,
} from '../../src/provider-answers.js';
import { depositAnswer } from '../../src/provider-changes.js';
import type { WalletCommand } from '../../src/wallet.js';
import type { WalletEvent } from '../../src/wallet-events.js';
import { NO_FUNDING_STEPS, evolveFundingSteps, type FundingSteps } from '../../src/wallet-steps.js';
import { NO_WITHDRAWAL, decideWithdrawal, evolveWithdrawal, type WithdrawalState } from '../../src/withdrawal.js';
import { callProvider } from './calls.fixture.js';
import { TOTAL_CENTS, type FundingPlan } from './scenario.fixture.js';
import { walletOf, type World } from './world.fixture.js';

type Process<Result = void> = Generator<void, Result>;
type FundingKind = FundingUnit['kind'];

export interface FundingView {
  readonly plan: FundingPlan;
  readonly unit: FundingUnit;
  /** Number of events of the deposit or withdrawal. */
  readonly revision: number;
  readonly wallet: readonly WalletEvent[];
}

export function fundingStepsIn(wallet: readonly WalletEvent[], id: string): FundingSteps {
  const own = wallet.filter(({ data }) => 'fundingId' in data && data.fundingId === id);
  return own.reduce(evolveFundingSteps, NO_FUNDING_STEPS);
}

export function depositIn(world: World, id: string, isCurrent = false): DepositState {
  const events = isCurrent ? world.current('deposit', id) : world.read('deposit', id);
  return events.reduce<DepositState>(evolveDeposit, NO_DEPOSIT);
}

/** Reads the stream of the deposit or withdrawal, then the wallet. */
function* readFunding(world: World, kind: FundingKind, plan: FundingPlan): Process<FundingView> {
  const { id, user } = plan;
  const deposits = kind === 'deposit' ? world.read('deposit', id) : [];
  const withdrawals = kind === 'withdrawal' ? world.read('withdrawal', id) : [];
  yield;
  const wallet = world.read('wallet', user);
  yield;
  const steps = fundingStepsIn(wallet, id);
  const revision = deposits.length + withdrawals.length;
  if (kind === 'deposit') {
    const state = deposits.reduce<DepositState>(evolveDeposit, NO_DEPOSIT);
    return { plan, unit: { kind, id, state, steps }, revision, wallet };
  }
  const state = withdrawals.reduce<WithdrawalState>(evolveWithdrawal, NO_WITHDRAWAL);
  return { plan, unit: { kind, id, state, steps }, revision, wallet };
}

/** Drives a deposit or withdrawal until it is done or waits for the provider. */
export function* driveFunding(world: World, kind: FundingKind, plan: FundingPlan): Process {
  for (let tries = 0; tries < 30; tries += 1) {
    const view = yield* readFunding(world, kind, plan);
    const step = world.rules.nextFundingStep(view.unit, { atUs: world.nowUs, isFrozen: () => false, heldCents: 0 });
    if (step.kind === 'idle') return;
    if (step.kind !== 'reload' && !(yield* take(world, view, step))) return;
    yield;
  }
}

/** Returns false if it waits for the provider. */
function* take(world: World, view: FundingView, step: FundingStep): Process<boolean> {
  const { revision, plan, unit } = view;
  switch (step.kind) {
    case 'idle':
    case 'reload':
      return true;
    case 'deposit':
      world.append({ kind: 'deposit', key: plan.id, revision, events: [step.event] });
      return true;
    case 'withdrawal':
      world.append({ kind: 'withdrawal', key: plan.id, revision, events: [step.event] });
      return true;
    case 'wallet':
      if (!appendToWallet(world, view, step.command) && step.ifNotCovered !== null) {
        world.append({ kind: 'withdrawal', key: plan.id, revision, events: [step.ifNotCovered] });
      }
      return true;
    case 'charge':
      return unit.kind === 'deposit' && (yield* charge(world, view, step));
    case 'payout':
      return unit.kind === 'withdrawal' && (yield* payOut(world, view, step));
  }
}

type CallStep = Extract<FundingStep, { kind: 'charge' | 'payout' }>;

/** Returns false if the wallet cannot do it. A conflict is as good as an append: the next round reads again. */
function appendToWallet(world: World, { plan, wallet }: FundingView, command: WalletCommand): boolean {
  const events = world.rules.decideWallet(command, walletOf(wallet));
  if (events.length === 0) return false;
  world.append({ kind: 'wallet', key: plan.user, revision: wallet.length, events });
  return true;
}

function* charge(world: World, view: FundingView, { key, order, beginBeforeUs }: CallStep): Process<boolean> {
  const { plan, unit, revision } = view;
  const request = { key, chargeKey: key, amountCents: order.totalCents, beginBeforeUs, isEnded: false };
  const { answer, ...expected } = yield* callProvider<ChargeProviderState>(world, { kind: 'charge', ...request });
  const result = world.rules.chargeResult(answer, expected);
  const { sourceId, totalCents: amountCents } = order;
  if (result.kind === 'approved' && !world.rules.depositDecidesFirst) {
    const deposit = { fundingId: plan.id, chargeKey: key };
    return appendToWallet(world, view, { type: 'deposit', amountCents, sourceId, deposit, atUs: world.nowUs });
  }
  const event = unit.kind === 'deposit' ? depositAnswer(unit.state, result, world.nowUs) : null;
  if (event === null) return false;
  world.append({ kind: 'deposit', key: plan.id, revision, events: [event] });
  return true;
}

function* payOut(world: World, view: FundingView, { key, order, beginBeforeUs }: CallStep): Process<boolean> {
  const { plan, unit, revision } = view;
  if (unit.kind !== 'withdrawal') return false;
  const request = { key, chargeKey: '', amountCents: order.totalCents, beginBeforeUs, isEnded: false };
  const { answer, ...expected } = yield* callProvider<PayoutProviderState>(world, { kind: 'payout', ...request });
  const result = payoutResult(answer, expected);
  const isBack = result.kind === 'failed' || result.kind === 'returned';
  if (isBack && !world.rules.withdrawalDecidesFirst && !unit.steps.isTakenBack) {
    const facts = { paymentId: null, fundingId: plan.id, amountCents: TOTAL_CENTS, atUs: world.nowUs };
    return appendToWallet(world, view, { type: 'take-back', ...facts, wasPaid: false, repayment: null });
  }
  const events = world.rules.payoutAnswer(unit.state, result, world.nowUs);
  if (events.length === 0) return false;
  world.append({ kind: 'withdrawal', key: plan.id, revision, events });
  return true;
}

/** Requests the deposit, as often as its command is delivered. */
export function* deposit(world: World, plan: FundingPlan): Process {
  const { nowUs: atUs } = world;
  const facts = { userId: plan.user, amountCents: TOTAL_CENTS, sourceId: 'card', booking: null };
  const data = { ...facts, beginBeforeUs: beginBeforeUsAt(atUs), atUs };
  world.append({ kind: 'deposit', key: plan.id, revision: 0, events: [{ type: 'DepositRequested', data }] });
  yield;
  yield* driveFunding(world, 'deposit', plan);
}

/** Requests the withdrawal, as often as its command is delivered. */
export function* withdraw(world: World, plan: FundingPlan): Process {
  const facts = { userId: plan.user, amountCents: TOTAL_CENTS, sourceId: 'card', booking: null, needsReview: false };
  const data = { ...facts, atUs: world.nowUs };
  world.append({ kind: 'withdrawal', key: plan.id, revision: 0, events: [{ type: 'WithdrawalRequested', data }] });
  yield;
  yield* driveFunding(world, 'withdrawal', plan);
}

export function* cancelWithdrawal(world: World, plan: FundingPlan): Process {
  for (let tries = 0; tries < 10; tries += 1) {
    const { unit, revision } = yield* readFunding(world, 'withdrawal', plan);
    if (unit.kind !== 'withdrawal') return;
    const command = { type: 'cancel', byUserId: plan.user, atUs: world.nowUs } as const;
    const decision = decideWithdrawal(command, unit.state, unit.steps.isWithdrawn);
    if (decision.kind === 'append') {
      if (world.append({ kind: 'withdrawal', key: plan.id, revision, events: [decision.event] })) return;
    } else if (decision.kind !== 'none') return;
    yield;
  }
}
