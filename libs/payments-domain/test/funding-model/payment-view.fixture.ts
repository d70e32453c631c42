import { isFundingOpen } from '../../src/funding-calls.js';
import type { NextStep, StepContext, Transfer } from '../../src/next-step.js';
import type { PaymentEvent } from '../../src/payment-events.js';
import { NO_PAYMENT, evolvePayment, type ExistingPayment, type PaymentState } from '../../src/payment.js';
import type { WalletCommand } from '../../src/wallet.js';
import type { WalletEvent } from '../../src/wallet-events.js';
import { NO_STEPS, evolveSteps, type WalletSteps } from '../../src/wallet-steps.js';
import { USERS, type PaymentPlan } from './scenario.fixture.js';
import { walletOf, type Append, type World } from './world.fixture.js';

/** The view that one instance has of a payment: streams read one after the other while others write. */
export interface PaymentView {
  readonly plan: PaymentPlan;
  readonly payment: PaymentEvent[];
  readonly wallets: ReadonlyMap<string, WalletEvent[]>;
  isRefundWritten: boolean;
}

export function stepsIn(wallet: readonly WalletEvent[], paymentId: string): WalletSteps {
  return wallet.filter(({ data }) => data.paymentId === paymentId).reduce(evolveSteps, NO_STEPS);
}

export function stateOf({ payment }: PaymentView): PaymentState {
  return payment.reduce<PaymentState>(evolvePayment, NO_PAYMENT);
}

export function transferOf(view: PaymentView): Transfer {
  const { plan, wallets, isRefundWritten } = view;
  const touched = [...wallets].filter(([, events]) => events.some(({ data }) => data.paymentId === plan.id));
  const steps = new Map(touched.map(([walletId, events]) => [walletId, stepsIn(events, plan.id)]));
  return { paymentId: plan.id, payment: stateOf(view), steps, isRefundWritten };
}

export function existingIn(view: PaymentView): (Transfer & { readonly payment: ExistingPayment }) | null {
  const transfer = transferOf(view);
  return transfer.payment.status === 'none' ? null : { ...transfer, payment: transfer.payment };
}

export function contextOf({ scenario, nowUs }: World): StepContext {
  return { sourceIdOf: () => (scenario.hasSource ? 'card' : null), atUs: nowUs, usesProvider: true };
}

/** Reads the wallets and the payment, in either order. */
export function* readPayment(world: World, plan: PaymentPlan): Generator<void, PaymentView> {
  const isFirst = world.chance.hits(0.5);
  let payment = isFirst ? world.read('payment', plan.id) : null;
  yield;
  const wallets = new Map<string, WalletEvent[]>();
  for (const id of USERS) wallets.set(id, world.read('wallet', id));
  yield;
  payment ??= world.read('payment', plan.id);
  const view = { plan, payment, wallets, isRefundWritten: false };
  const state = stateOf(view);
  const refundId = 'refundId' in state ? state.refundId : null;
  view.isRefundWritten = refundId !== null && world.current('payment', refundId).length > 0;
  return view;
}

/** As the creating handler does it: the wallets as they stand, and no payment. */
export function readForCreation(world: World, plan: PaymentPlan): PaymentView {
  const wallets = new Map<string, WalletEvent[]>(USERS.map((id) => [id, world.read('wallet', id)]));
  return { plan, payment: [], wallets, isRefundWritten: false };
}

/** Returns the append of a wallet's command; null if the wallet cannot do it. */
export function walletAppend(world: World, view: PaymentView, walletId: string, command: WalletCommand): Append | null {
  const wallet = view.wallets.get(walletId) ?? [];
  const events = world.rules.decideWallet(command, walletOf(wallet));
  return events.length === 0 ? null : { kind: 'wallet', key: walletId, revision: wallet.length, events };
}

/** Puts the steps that follow into the unit, each on the view that the one before leaves. */
export function planUnit(world: World, view: PaymentView, unit: Append[]): void {
  for (let limit = 1 + world.chance.below(3); limit > 0; limit -= 1) {
    const append = appendOf(world, view, world.rules.nextStep(transferOf(view), contextOf(world)));
    if (append === null) return;
    unit.push(append);
    follow(view, append);
  }
}

function appendOf(world: World, view: PaymentView, step: NextStep): Append | null {
  switch (step.kind) {
    case 'payment':
      return { kind: 'payment', key: view.plan.id, revision: view.payment.length, events: [step.event] };
    case 'refund':
      return { kind: 'payment', key: step.refundId, revision: 0, events: step.events };
    case 'wallet':
      return walletAppend(world, view, step.walletId, step.command);
    default:
      return null;
  }
}

function follow(view: PaymentView, { kind, key, events }: Append): void {
  if (kind === 'wallet') view.wallets.get(key)?.push(...(events as WalletEvent[]));
  else if (key === view.plan.id) view.payment.push(...(events as PaymentEvent[]));
  else view.isRefundWritten = true;
}

/** Facts that an action needs: whether the creation counts as finished, and whether the source has not answered. */
export function creationOf(transfer: Transfer, { mode, payer }: PaymentPlan): { isFinished: boolean; isOpen: boolean } {
  const steps = transfer.steps.get(payer) ?? NO_STEPS;
  const isOpen = isFundingOpen(transfer, payer);
  if (mode === 'request') return { isFinished: true, isOpen };
  if (mode === 'trusted') return { isFinished: isOpen || steps.isDebited || steps.isRefused, isOpen };
  return { isFinished: isOpen || (mode === 'hold' && steps.isDebited), isOpen };
}
