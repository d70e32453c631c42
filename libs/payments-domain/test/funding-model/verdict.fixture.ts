import { openCharges } from '../../src/funding-calls.js';
import { NO_PAYMENT, evolvePayment, type PaymentState } from '../../src/payment.js';
import type { WalletEvent } from '../../src/wallet-events.js';
import { must } from '../transfer-model/audit.fixture.js';
import { depositIn } from './funding.fixture.js';
import { stepsIn } from './payment-view.fixture.js';
import { isOut } from './provider.fixture.js';
import { TOTAL_CENTS, USERS, type FundingPlan, type PaymentPlan } from './scenario.fixture.js';
import type { World } from './world.fixture.js';

/** The conditions that hold once every request is answered. Returns what came of everything, for the coverage of the walks. */
export function judge(world: World): string[] {
  const wallets = USERS.flatMap((id) => world.current('wallet', id));
  const { provider, scenario } = world;
  must(world.cursor === provider.changes.length, 'a change of the provider is never applied');
  return [
    ...[...provider.charges.values()].map(({ key, state }) => judgeCharge(world, wallets, { key, state })),
    ...scenario.withdrawals.map((plan) => judgeWithdrawal(world, wallets, plan)),
    ...scenario.deposits.map((plan) => judgeDeposit(world, wallets, plan)),
    ...scenario.payments.map((plan) => judgePayment(world, wallets, plan)),
    ...wallets.flatMap(({ type, data }) => {
      if (type === 'FundsAdded' && data.isLate === true) return ['late money'];
      return type === 'RepaymentRequested' && /:[0-9]$/.test(data.key) ? ['repayment, next try'] : [];
    }),
  ];
}

type Sum = (type: WalletEvent['type'], isOf: (data: OfAny) => boolean) => number;
interface OfAny {
  readonly balanceCents: number;
  readonly chargeKey?: string | null;
  readonly fundingId?: string | null;
  readonly repaymentKey?: string;
}

function sumIn(wallets: readonly WalletEvent[]): Sum {
  return (type, isOf) =>
    wallets.reduce((sum, { type: other, data }) => {
      return other === type && isOf(data) && 'amountCents' in data ? sum + data.amountCents : sum;
    }, 0);
}

/** Money that is ours according to the wallets equals what the provider charged, less what went back. */
function judgeCharge(
  { provider }: World,
  wallets: readonly WalletEvent[],
  { key, state }: { key: string; state: string },
): string {
  const sum = sumIn(wallets);
  const of = ({ chargeKey }: OfAny) => chargeKey === key;
  const addedCents = sum('FundsAdded', of);
  const back = sum('WithdrawalReversed', of) + sum('ReversalReturned', of);
  const ours = addedCents - sum('FundsWithdrawn', of) - sum('FundsReversed', of) + back;
  const [repaid, reversed] = [provider.repaidCents(key), provider.reversedCents(key)];
  must(ours === (state === 'approved' ? TOTAL_CENTS : 0) - repaid - reversed, 'the books differ for a charge');
  must(addedCents === 0 || state === 'approved', 'money is added that the provider did not charge');
  return `charge ${state}${repaid > 0 ? ', repaid' : ''}${reversed > 0 ? ', reversed' : ''}`;
}

function judgeWithdrawal(world: World, wallets: readonly WalletEvent[], { id }: FundingPlan): string {
  const last = world.current('withdrawal', id).at(-1)?.type ?? 'no withdrawal';
  const payout = world.provider.payouts.get(id);
  must(last !== 'WithdrawalRequested' && last !== 'PayoutRequested', 'a withdrawal is not finished');
  must(world.audit.account(`payouts:${id}`) === 0, 'payouts:<id> of a finished withdrawal is not zero');
  const sum = sumIn(wallets);
  const of = ({ fundingId, repaymentKey }: OfAny) => fundingId === id && repaymentKey === undefined;
  const outCents = sum('FundsWithdrawn', of) - sum('WithdrawalReversed', of);
  must(outCents === (payout !== undefined && isOut(payout) ? TOTAL_CENTS : 0), 'the books differ for a payout');
  return last;
}

function judgeDeposit(world: World, wallets: readonly WalletEvent[], { id }: FundingPlan): string {
  const { status } = depositIn(world, id);
  const added = wallets.find(({ type, data }) => type === 'FundsAdded' && data.fundingId === id);
  const isLate = added?.type === 'FundsAdded' && added.data.isLate === true;
  must(status !== 'requested', 'a deposit is not finished');
  must(added === undefined || status === 'settled' || isLate, 'a deposit failed and its money is in the wallet');
  must(added !== undefined || status !== 'settled', 'a deposit is settled and its money is not in the wallet');
  return `deposit ${status}`;
}

function judgePayment(world: World, wallets: readonly WalletEvent[], plan: PaymentPlan): string {
  const { id, mode } = plan;
  const payment = world.current('payment', id).reduce<PaymentState>(evolvePayment, NO_PAYMENT);
  const own = wallets.filter(({ data }) => data.paymentId === id);
  const count = (type: WalletEvent['type']) => own.filter((event) => event.type === type).length;
  const transitCents = world.audit.account(`transit:${id}`);
  const { status } = payment;
  must(count('FundsCredited') === (status === 'settled' ? 1 : 0), 'credited without an end, or ended without a credit');
  if (payment.status === 'none') return `${mode} not created`;
  const steps = new Map(USERS.map((user) => [user, stepsIn(world.current('wallet', user), id)]));
  const open = openCharges({ paymentId: id, payment, steps, isRefundWritten: true }, payment);
  must(open.length === 0, 'funding is open at the end');
  const isCharged = own.some(({ type, data }) => type === 'FundsDebited' && typeof data.chargeKey === 'string');
  const text = `${mode} ${status}${isCharged ? ', charged' : ''}`;
  if (status === 'pending') {
    must(mode !== 'transfer', 'a transfer is not finished');
    must(transitCents === (mode === 'hold' ? TOTAL_CENTS : 0), 'a pending payment has the wrong transit');
    return text;
  }
  must(transitCents === 0, 'transit of an ended payment is not zero');
  const kept = count('FundsDebited') - count('FundsReturned');
  must(kept === (status === 'settled' ? 1 : 0), 'an ended payment did not give back what it took');
  const refundId = 'refundId' in payment ? payment.refundId : null;
  const isRefunded = refundId !== null && world.current('payment', refundId).length > 0;
  must(isRefunded === (refundId !== null), 'the refund payment is missing');
  must(refundId === null || count('FundsReturned') === 1, 'a refund payment without a return');
  return text;
}
