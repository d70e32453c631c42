import type { NextStep, Transfer } from '../../src/next-step.js';
import {
  NO_PAYMENT,
  evolvePayment,
  targetUserIdOf,
  type ExistingPayment,
  type PaymentState,
} from '../../src/payment.js';
import { NO_STEPS, evolveSteps, type WalletSteps } from '../../src/wallet-steps.js';
import { NO_WALLET, evolveWallet, type WalletState } from '../../src/wallet.js';
import { PAYMENT_ID } from './scenario.fixture.js';
import type { Append, ModelStore } from './store.fixture.js';
import type { World } from './world.fixture.js';

interface KnownWallet {
  /** Another instance's: nothing is appended to it, and of its steps only the journal tells. */
  readonly isOthers: boolean;
  readonly revision: number;
  readonly state: WalletState;
  readonly steps: WalletSteps;
}

/** The view of one instance, read piece by piece while others write. */
export interface View {
  payment: PaymentState;
  paymentRevision: number;
  isRefundWritten: boolean;
  readonly wallets: Map<string, KnownWallet>;
}

export function transferOf(view: View): Transfer {
  const steps = new Map([...view.wallets].map(([walletId, wallet]) => [walletId, wallet.steps]));
  return { paymentId: PAYMENT_ID, payment: view.payment, steps, isRefundWritten: view.isRefundWritten };
}

/** Null while the payment is not there. */
export function existing(view: View): (Transfer & { readonly payment: ExistingPayment }) | null {
  const transfer = transferOf(view);
  return transfer.payment.status === 'none' ? null : { ...transfer, payment: transfer.payment };
}

/** Reads the payment, the journal, then each wallet that the payment, the journal or the action names. */
export function* load(world: World, actingIds: readonly string[]): Generator<void, View> {
  const { store, chance, rules } = world;
  const view: View = { payment: NO_PAYMENT, paymentRevision: -1, isRefundWritten: false, wallets: new Map() };
  readPayment(store, view);
  yield;
  const rows = store.journal(PAYMENT_ID);
  const touched = rules.readsEveryWallet ? rows.ofPayment.keys() : [];
  const named = new Set([...namesIn(view.payment), ...actingIds, ...touched]);
  for (const walletId of named) {
    yield;
    // The owner of a wallet may change at any time; a command always goes to the owner of the acting user's wallet.
    const isOthers = !actingIds.includes(walletId) && chance.hits(world.othersRate);
    const events = store.wallet(walletId);
    const tail = isOthers ? [] : events.slice((rows.completeTo.get(walletId) ?? -1) + 1);
    const known = [...(rows.ofPayment.get(walletId) ?? []), ...tail];
    const own = known.filter((event) => event.data.paymentId === PAYMENT_ID);
    const newest = events.at(-1);
    view.wallets.set(walletId, {
      isOthers,
      revision: events.length - 1,
      state: newest === undefined ? NO_WALLET : evolveWallet(NO_WALLET, newest),
      steps: own.reduce(evolveSteps, NO_STEPS),
    });
  }
  if (chance.hits(0.5)) {
    yield;
    readPayment(store, view);
  }
  return view;
}

/** As the creating handler does it: wallets as they stand in its cache, nothing known of any step. */
export function* loadForCreation(world: World, walletIds: readonly string[]): Generator<void, View> {
  const { store, scenario, rules, chance } = world;
  const view: View = { payment: NO_PAYMENT, paymentRevision: -1, isRefundWritten: false, wallets: new Map() };
  for (const walletId of walletIds) {
    const events = store.wallet(walletId);
    const newest = events.at(-1);
    const state = newest === undefined ? NO_WALLET : evolveWallet(NO_WALLET, newest);
    const isOthers = walletId !== walletIds[0] && chance.hits(world.othersRate);
    view.wallets.set(walletId, { isOthers, revision: events.length - 1, state, steps: NO_STEPS });
    yield;
  }
  const looks = scenario.adapter !== 'whole' ? rules.looksBeforeCreating : chance.hits(0.5);
  if (looks) readPayment(store, view);
  return view;
}

function readPayment(store: ModelStore, view: View): void {
  const events = store.payment(PAYMENT_ID);
  view.payment = events.reduce(evolvePayment, NO_PAYMENT);
  view.paymentRevision = events.length - 1;
  const refundId = 'refundId' in view.payment ? view.payment.refundId : null;
  view.isRefundWritten = refundId !== null && store.payment(refundId).length > 0;
}

function namesIn(payment: PaymentState): string[] {
  if (payment.status === 'none') return [];
  return [payment.facts.actorId, targetUserIdOf(payment)].filter((id) => id !== null);
}

/**
 * Puts the steps that follow into the unit, each on the view that the one before leaves.
 * @returns what stopped it: a funding call, idle, or null for a full unit or a wallet that was not loaded or is another's
 */
export function planUnit(world: World, view: View, unit: Append[]): NextStep | null {
  let previous = endOf(unit);
  while (unit.length < world.scenario.unitLimit) {
    const step = world.rules.nextStep(transferOf(view), world.context());
    if (isOthersStep(world, view, step)) return null;
    const append = appendOf(world, view, step);
    if (append === 'funding-call') return step;
    if (append === null) return null;
    const isConcurrent = previous !== null && world.rules.areConcurrent(transferOf(view), previous, step);
    unit.push({ ...append, isConcurrent });
    follow(view, append);
    previous = step;
  }
  return null;
}

/** The step by which the unit as decided so far ends or creates the payment; null if it ends with no such step. */
function endOf(unit: readonly Append[]): NextStep | null {
  const last = unit.at(-1);
  const event = last?.kind === 'payment' && last.key === PAYMENT_ID ? last.events.at(-1) : undefined;
  return event === undefined ? null : { kind: 'payment', event };
}

/** A step that another instance is to be asked for: this one leaves it. */
function isOthersStep({ rules }: World, view: View, step: NextStep): boolean {
  return rules.leavesOthersSteps && 'walletId' in step && view.wallets.get(step.walletId)?.isOthers === true;
}

function appendOf(world: World, view: View, step: NextStep): Append | 'funding-call' | null {
  switch (step.kind) {
    case 'payment':
      return paymentAppend(view, [step.event]);
    case 'refund':
      return { kind: 'payment', key: step.refundId, expectedRevision: -1, events: step.events };
    case 'wallet': {
      const wallet = view.wallets.get(step.walletId);
      if (wallet === undefined) return null;
      const events = world.rules.decideWallet(step.command, wallet.state);
      return { kind: 'wallet', key: step.walletId, expectedRevision: wallet.revision, events };
    }
    case 'charge':
    case 'repay':
    case 'idle':
      return 'funding-call';
  }
}

export function paymentAppend(view: View, events: Extract<Append, { kind: 'payment' }>['events']): Append {
  return { kind: 'payment', key: PAYMENT_ID, expectedRevision: view.paymentRevision, events };
}

/** Leaves the view as the append will leave the store. */
export function follow(view: View, append: Append): void {
  if (append.kind === 'payment') {
    if (append.key !== PAYMENT_ID) {
      view.isRefundWritten = true;
      return;
    }
    view.payment = append.events.reduce(evolvePayment, view.payment);
    view.paymentRevision += append.events.length;
    return;
  }
  const wallet = view.wallets.get(append.key);
  if (wallet === undefined) return;
  const own = append.events.filter((event) => event.data.paymentId === PAYMENT_ID);
  view.wallets.set(append.key, {
    isOthers: wallet.isOthers,
    revision: wallet.revision + append.events.length,
    state: append.events.reduce(evolveWallet, wallet.state),
    steps: own.reduce(evolveSteps, wallet.steps),
  });
}
