import type { NextStep } from '../../src/next-step.js';
import type { PaymentCommand } from '../../src/payment-decisions.js';
import type { WalletCommand } from '../../src/wallet.js';
import type { Append } from './store.fixture.js';
import {
  existing,
  follow,
  load,
  loadForCreation,
  paymentAppend,
  planUnit,
  transferOf,
  type View,
} from './view.fixture.js';
import type { World } from './world.fixture.js';

/** A conflict, a silent source or a full unit ends an attempt; after the last one the worker continues. */
const MOST_TRIES = 12;

type FundingCall = Extract<NextStep, { kind: 'charge' | 'repay' }>;
type Process<Result = void> = Generator<void, Result>;

/** Brings the payment as far as it comes by itself. Null when it could not be brought to rest. */
export function* drive(world: World, actingIds: readonly string[] = []): Process<View | null> {
  let view = yield* load(world, actingIds);
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    yield;
    const unit: Append[] = [];
    const step = planUnit(world, view, unit);
    if (step?.kind === 'idle' && unit.length === 0) return view;
    const outcome = yield* world.store.append(unit);
    const keepsView = outcome === 'stored' && step !== null && world.chance.hits(0.5);
    if (!keepsView) view = yield* load(world, actingIds);
    else if (step.kind === 'charge' || step.kind === 'repay') {
      yield* runFundingCall(world, view, step);
      view = yield* load(world, actingIds);
    }
  }
  return null;
}

/** Asks the source, then stores its answer where the question stands. */
function* runFundingCall(world: World, view: View, step: FundingCall): Process {
  const { rules, source } = world;
  yield;
  const { key, order, walletId } = step;
  const answer = step.kind === 'charge' ? source.charge(key, walletId, order) : source.repay(key, order);
  yield;
  if (answer === 'silence' && !rules.takesSilenceForNo) return;
  const says = answer === 'yes';
  const fresh = world.chance.hits(0.5) ? yield* load(world, [walletId]) : view;
  const transfer = existing(fresh);
  if (transfer === null) return;
  const { atUs } = world.context();
  const command =
    step.kind === 'charge'
      ? rules.fundingAnswer(transfer, walletId, { attempt: order.attempt, isApproved: says, atUs })
      : rules.returnAfterRepayment(transfer, walletId, { isRepaid: says, atUs });
  if (command !== null) yield* appendToWallet(world, fresh, { walletId, command });
}

/** Stores a wallet's facts and what follows from them. False when the wallet cannot do it. */
function* appendToWallet(
  world: World,
  view: View,
  { walletId, command }: { walletId: string; command: WalletCommand },
): Process<boolean> {
  const wallet = view.wallets.get(walletId);
  if (wallet === undefined) return true;
  const events = world.rules.decideWallet(command, wallet.state);
  if (events.length === 0) return false;
  const append: Append = { kind: 'wallet', key: walletId, expectedRevision: wallet.revision, events };
  follow(view, append);
  const unit = [append];
  planUnit(world, view, unit);
  yield* world.store.append(unit);
  return true;
}

/** The creating handler, as often as its command is delivered. */
export function* create(world: World): Process {
  const { created } = world;
  const { actorId, target } = created.data;
  const walletIds = target.userId === null ? [actorId] : [actorId, target.userId];
  const view = yield* loadForCreation(world, walletIds);
  const decision = world.rules.decidePayment({ type: 'create', created }, view.payment);
  if (decision.kind === 'append') {
    const append = paymentAppend(view, [decision.event]);
    follow(view, append);
    const unit = [append];
    planUnit(world, view, unit);
    yield* world.store.append(unit);
  }
  yield* drive(world);
}

/** Someone's action: finishes the creation, decides, appends, drives on; decides again after a conflict. */
export function* act(world: World, command: PaymentCommand, actingIds: readonly string[]): Process {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    yield;
    const unit: Append[] = [];
    const view = yield* viewToActOn(world, unit, actingIds);
    if (view === null) return;
    const decision = world.rules.decidePayment(command, view.payment);
    yield;
    if (decision.kind === 'append') {
      const append = paymentAppend(view, [decision.event]);
      unit.push(append);
      follow(view, append);
      planUnit(world, view, unit);
    }
    const outcome = unit.length === 0 ? 'stored' : yield* world.store.append(unit);
    if (outcome === 'conflict') continue;
    if (view.payment.status === 'none') continue;
    if (decision.kind !== 'debit') break;
    if (yield* approve(world, decision.walletId)) break;
  }
  yield* drive(world, actingIds);
}

/** The payment with its creation finished: in the store, or by what the unit holds already. */
function* viewToActOn(world: World, unit: Append[], actingIds: readonly string[]): Process<View | null> {
  if (world.rules.finishesFirst && world.chance.hits(0.5)) return yield* drive(world, actingIds);
  const view = yield* load(world, actingIds);
  if (!world.rules.finishesFirst) return view;
  if (planUnit(world, view, unit)?.kind === 'idle') return view;
  unit.length = 0;
  return yield* drive(world, actingIds);
}

/** One attempt at the approver's debit, on what is known now, which may be newer than what was decided on. */
function* approve(world: World, walletId: string): Process<boolean> {
  const view = yield* load(world, [walletId]);
  const transfer = existing(view);
  if (transfer === null) return false;
  yield;
  const { sourceIdOf, atUs } = world.context();
  const command = world.rules.approvalDebit(transfer, walletId, {
    sourceId: sourceIdOf(walletId),
    atUs,
    appId: 'app',
  });
  if (command === null) return false;
  const isFunded = yield* appendToWallet(world, view, { walletId, command });
  if (!isFunded) return true;
  yield* drive(world, [walletId]);
  return world.chance.hits(0.5);
}

/** The worker's last word: true when nothing is left to do. */
export function isAtRest(world: World, view: View): boolean {
  return world.rules.nextStep(transferOf(view), world.context()).kind === 'idle';
}
