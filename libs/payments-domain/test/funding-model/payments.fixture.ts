import { isFundingOpen, type ChargeCall, type RepayCall } from '../../src/funding-calls.js';
import type { PaymentCommand } from '../../src/payment-decisions.js';
import { repaymentResult, type ChargeProviderState, type PayoutProviderState } from '../../src/provider-answers.js';
import type { WalletCommand } from '../../src/wallet.js';
import { callProvider } from './calls.fixture.js';
import {
  contextOf,
  creationOf,
  existingIn,
  planUnit,
  readForCreation,
  readPayment,
  stateOf,
  transferOf,
  walletAppend,
  type PaymentView,
} from './payment-view.fixture.js';
import { createdOf, type PaymentPlan, type User } from './scenario.fixture.js';
import type { Append, World } from './world.fixture.js';

type Process<Result = void> = Generator<void, Result>;
/** `open`: it waits for the provider. */
type Outcome = 'done' | 'pending' | 'open';

const MOST_TRIES = 30;

/** Drives a payment until it is done, pending or waits for the provider. */
export function* drive(world: World, plan: PaymentPlan, asks = true): Process<Outcome> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const view = yield* readPayment(world, plan);
    yield;
    const transfer = transferOf(view);
    const step = world.rules.nextStep(transfer, contextOf(world));
    if (step.kind === 'idle') return step.status;
    if (step.kind === 'charge' || step.kind === 'repay') {
      if (!asks) return 'open';
      const others = world.rules.fundingCalls(transfer, contextOf(world)).filter(({ key }) => key !== step.key);
      if (!(yield* call(world, view, [step, ...others]))) return 'open';
    } else {
      const unit: Append[] = [];
      planUnit(world, view, unit);
      yield* world.appendUnit(unit);
    }
    yield;
  }
  return 'open';
}

/** Makes the calls until one leads to an append. Returns whether one did. */
function* call(world: World, view: PaymentView, calls: readonly (ChargeCall | RepayCall)[]): Process<boolean> {
  for (const one of calls) {
    const command = one.kind === 'charge' ? yield* charge(world, view, one) : yield* repay(world, view, one);
    if (command === null) continue;
    const append = walletAppend(world, view, one.walletId, command);
    if (append !== null) world.append(append);
    return true;
  }
  return false;
}

function* charge(world: World, view: PaymentView, { key, order, ...step }: ChargeCall): Process<WalletCommand | null> {
  const { beginBeforeUs = 0, isEnded = false, walletId } = step;
  const request = {
    kind: 'charge',
    key,
    chargeKey: key,
    amountCents: order.totalCents,
    beginBeforeUs,
    isEnded,
  } as const;
  const { answer, ...expected } = yield* callProvider<ChargeProviderState>(world, request);
  const result = world.rules.chargeResult(answer, expected);
  const transfer = existingIn(view);
  if (transfer === null || result.kind === 'pending' || result.kind === 'contradiction') return null;
  const said = result.kind === 'approved' ? { providerId: result.providerId } : { refusal: result.refusal };
  const given = { attempt: order.attempt, isApproved: result.kind === 'approved', ...said, atUs: world.nowUs };
  return world.rules.fundingAnswer(transfer, walletId, given);
}

function* repay(world: World, view: PaymentView, { key, order, ...step }: RepayCall): Process<WalletCommand | null> {
  const { beginBeforeUs = world.nowUs, chargeKey = '', walletId } = step;
  const request = { key, chargeKey, amountCents: order.totalCents, beginBeforeUs, isEnded: false };
  const { answer, ...expected } = yield* callProvider<PayoutProviderState>(world, { kind: 'repayment', ...request });
  const { kind } = repaymentResult(answer, expected);
  const transfer = existingIn(view);
  if (transfer === null || kind === 'unknown' || kind === 'contradiction') return null;
  return world.rules.repaymentAnswer(transfer, walletId, { key, answer: kind, atUs: world.nowUs });
}

/** The creating handler, as often as its command is delivered. */
export function* create(world: World, plan: PaymentPlan): Process {
  const view = readForCreation(world, plan);
  yield;
  if (transferOf(view).steps.size === 0) {
    const created = createdOf(plan, world.nowUs);
    const unit: Append[] = [{ kind: 'payment', key: plan.id, revision: 0, events: [created] }];
    view.payment.push(created);
    planUnit(world, view, unit);
    yield* world.appendUnit(unit);
  }
  yield* drive(world, plan, world.chance.hits(0.7));
}

export type Ending = 'cancel' | 'deny' | 'expire' | { readonly claimedBy: User };

/** An action that ends a payment: finishes the creation, decides, appends, drives on; decides again after a conflict. */
export function* end(world: World, plan: PaymentPlan, ending: Ending): Process {
  for (let tries = 0; tries < 15; tries += 1) {
    yield* drive(world, plan, world.chance.hits(0.5));
    const view = yield* readPayment(world, plan);
    if (view.payment.length > 1) return;
    const { isFinished, isOpen } = creationOf(transferOf(view), plan);
    if (view.payment.length === 0 || !isFinished) {
      yield;
      continue;
    }
    const decision = world.rules.decidePayment(commandOf(world, plan, { ending, isOpen }), stateOf(view));
    if (decision.kind === 'append') {
      const events = [decision.event];
      if (world.append({ kind: 'payment', key: plan.id, revision: view.payment.length, events })) {
        yield;
        yield* drive(world, plan);
        return;
      }
    } else if (decision.kind !== 'refused' || decision.code !== 'not_permitted') return;
    yield;
  }
}

function commandOf(
  { nowUs: atUs }: World,
  { id, mode, payer, payee }: PaymentPlan,
  { ending, isOpen: isFundingOpen }: { ending: Ending; isOpen: boolean },
): PaymentCommand {
  const isCharge = mode === 'request' || mode === 'trusted';
  const target = { targetUserId: isCharge ? payer : payee };
  const common = { isFundingOpen, refundId: `r-${id}`, atUs };
  switch (ending) {
    case 'cancel':
      return { type: 'cancel', byUserId: isCharge ? payee : payer, ...target, ...common };
    case 'deny':
      return { type: 'deny', byUserId: payer, ...target, ...common };
    case 'expire':
      return { type: 'expire', ...target, ...common, dueAfterUs: 0 };
    default:
      return { type: 'claim', claimantId: ending.claimedBy, ...common };
  }
}

/** A user approves a request, until it is paid, waits for the source, or cannot be funded. */
export function* approve(world: World, plan: PaymentPlan, walletId: User): Process {
  const { rules, scenario } = world;
  for (let tries = 0; tries < 15; tries += 1) {
    yield* drive(world, plan, world.chance.hits(0.5));
    const view = yield* readPayment(world, plan);
    const transfer = existingIn(view);
    if (view.payment.length > 1) return;
    if (transfer === null || !creationOf(transfer, plan).isFinished) {
      yield;
      continue;
    }
    const isOpen = isFundingOpen(transfer, walletId);
    const who = { byUserId: walletId, targetUserId: walletId, isFundingOpen: isOpen };
    const act = { ...who, refundId: `r-${plan.id}`, atUs: world.nowUs };
    if (rules.decidePayment({ type: 'approve', ...act }, transfer.payment).kind !== 'debit') return;
    const sourceId = scenario.hasSource ? 'card' : null;
    const approval = { sourceId, atUs: world.nowUs, appId: 'app', usesProvider: true };
    const command = rules.approvalDebit(transfer, walletId, approval);
    if (command !== null) {
      const append = walletAppend(world, view, walletId, command);
      if (append === null) return;
      world.append(append);
    }
    yield;
  }
}
