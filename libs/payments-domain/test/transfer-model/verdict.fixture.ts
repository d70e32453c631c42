import { FEES_ACCOUNT, transitAccount } from '../../src/journal.js';
import { payerIdOf } from '../../src/next-step.js';
import { totalCentsOf, type ExistingPayment } from '../../src/payment.js';
import { must } from './audit.fixture.js';
import { PAYMENT_ID, PEOPLE } from './scenario.fixture.js';
import type { World } from './world.fixture.js';

/** The invariants once every started payment is finished. */
export function judge(world: World): void {
  const { audit, source } = world;
  const { payment } = audit;
  const transitCents = audit.account(transitAccount(PAYMENT_ID));
  if (payment.status === 'none') {
    must(audit.steps.size === 0, 'steps of a payment that never was');
    return;
  }
  judgeSources(world);
  judgeRefund(world, payment);
  if (payment.status === 'settled') {
    judgeSettled(world, payment);
    return;
  }
  must(audit.account(FEES_ACCOUNT) === 0, 'a fee of a payment that was not settled');
  for (const id of PEOPLE) must(audit.count(id, 'FundsCredited') === 0, 'credited, but not settled');
  const { mode } = payment.facts;
  if (payment.status === 'pending') {
    must(mode !== 'transfer', 'a transfer was left without an end');
    const heldCents = mode === 'hold' ? totalCentsOf(payment.facts) : 0;
    must(transitCents === heldCents, `a pending ${mode} has ${transitCents} in transit`);
    return;
  }
  must(transitCents === 0, `${transitCents} are in transit of a ${payment.status} payment`);
  if (mode === 'transfer') must(payment.status === 'failed', `a transfer was ${payment.status}`);
  if (payment.status !== 'failed') return;
  must(mode === 'transfer' || mode === 'hold', `a ${mode} failed`);
  must(audit.count('ann', 'DebitRefused') === 1, 'failed, but not refused');
  must(source.takenCents === fundedCents(world), 'failed, but charged');
}

function judgeSettled({ audit }: World, payment: Extract<ExistingPayment, { status: 'settled' }>): void {
  const { facts, targetUserId } = payment;
  const payeeId = facts.action === 'pay' ? targetUserId : facts.actorId;
  const payerId = payerIdOf(facts, targetUserId);
  for (const id of PEOPLE) {
    must(audit.count(id, 'FundsCredited') === (id === payeeId ? 1 : 0), `settled, but ${id}'s credit is wrong`);
    const keptDebits = audit.count(id, 'FundsDebited') - audit.count(id, 'FundsReturned');
    must(keptDebits === (id === payerId ? 1 : 0), `settled, but ${id}'s debit is wrong`);
  }
  must(audit.account(transitAccount(PAYMENT_ID)) === 0, 'something is left in transit of a settled payment');
  must(audit.account(FEES_ACCOUNT) === facts.feeCents, 'the fee was not taken once');
}

function judgeRefund({ audit }: World, payment: ExistingPayment): void {
  const refundId = 'refundId' in payment ? payment.refundId : null;
  must(audit.refunds.size === (refundId === null ? 0 : 1), 'refund payments are not those that the end names');
  if (refundId === null) return;
  must(audit.refunds.has(refundId), 'another refund payment than the named one was written');
  must(payment.facts.mode === 'hold' && audit.count('ann', 'FundsReturned') === 1, 'a refund of money never held');
}

/** The sources' own books agree with ours, and what came from a source that takes it back went there. */
function judgeSources(world: World): void {
  const { audit, source } = world;
  must(source.takenCents === fundedCents(world), 'the sources took another sum than the wallets know of');
  for (const step of audit.steps.keys()) {
    const [id, type, attempt] = step.split(' ');
    if (type !== 'FundingDeclined') continue;
    must(source.answerTo(`${PAYMENT_ID}:${id}:${attempt}`) === false, `${step}, but its source did not say so`);
  }
  for (const id of PEOPLE) {
    if (audit.count(id, 'FundsAdded') === 0 || audit.count(id, 'FundsReturned') === 0) continue;
    const isRepaid = source.answerTo(`${PAYMENT_ID}:${id}:refund`);
    must(isRepaid !== undefined, `${id}'s source was not asked to take its money back`);
    must(audit.count(id, 'FundsWithdrawn') === (isRepaid ? 1 : 0), `${id}'s repayment is not in the wallet`);
  }
}

function fundedCents({ audit }: World): number {
  const { payment } = audit;
  if (payment.status === 'none') return 0;
  const totalCents = totalCentsOf(payment.facts);
  let cents = 0;
  for (const id of PEOPLE) cents += (audit.count(id, 'FundsAdded') - audit.count(id, 'FundsWithdrawn')) * totalCents;
  return cents;
}
