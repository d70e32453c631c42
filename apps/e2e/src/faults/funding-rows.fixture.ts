import { unknownEmail } from '../users.js';
import type { FundingUnderFaults } from './funding-under-faults.fixture.js';
import type { HeldAt, HttpPath, PassedRequest } from './http-path.fixture.js';

const SMALL = '1.00';

/** A call between the product and the provider. */
export interface FundingCall {
  readonly name: string;
  /** Its name in a statement of the provider. */
  readonly kind: 'charge' | 'repayment' | 'payout';
  /** The last event that the answer leads to. */
  readonly event: string;
  path(under: FundingUnderFaults): HttpPath;
  isMeant(request: PassedRequest): boolean;
  /** Prepares what the call needs, such as a charge to repay. */
  prepare?(under: FundingUnderFaults): Promise<void>;
  /** Does as a user what leads to the call. The answer may never come. */
  act(under: FundingUnderFaults): Promise<unknown>;
}

const isPut = (kind: string) => (request: PassedRequest) =>
  request.method === 'PUT' && request.path.startsWith(`/${kind}/`);
const pay = ({ payer }: FundingUnderFaults) => payer.user.send({ email: unknownEmail() }, SMALL);

let heldPayment = '';

/** Every call that moves money. */
export const FUNDING_CALLS: readonly FundingCall[] = [
  {
    ...{ name: 'a charge', kind: 'charge', event: 'FundsDebited' },
    path: ({ toProvider }) => toProvider,
    isMeant: isPut('charges'),
    act: pay,
  },
  {
    ...{ name: 'a repayment', kind: 'repayment', event: 'FundsWithdrawn' },
    path: ({ toProvider }) => toProvider,
    isMeant: isPut('repayments'),
    async prepare(under) {
      heldPayment = (await pay(under)).body.data.payment.id;
      await under.waitUntilAnswered();
    },
    act: ({ payer }) => payer.user.act(heldPayment, 'cancel'),
  },
  {
    ...{ name: 'a payout', kind: 'payout', event: 'WithdrawalPaid' },
    path: ({ toProvider }) => toProvider,
    isMeant: isPut('payouts'),
    act: ({ withdrawer }) => withdrawer.money.withdraw(SMALL),
  },
  {
    ...{ name: 'a callback', kind: 'charge', event: 'DepositSettled' },
    path: ({ toProduct }) => toProduct,
    isMeant: isApproval,
    act: ({ saver }) => saver.money.addMoney(SMALL, saver.lastFour),
  },
];

/** The first version of a charge is pending here, the second is approved. */
export function isApproval({ body }: PassedRequest): boolean {
  const { kind, version } = JSON.parse(body) as { readonly kind: string; readonly version: number };
  return kind === 'charge' && version === 2;
}

/** Returns whether a request has not come before these were listed: a side without an answer sends its request again. */
export function isNewAfter(earlier: readonly PassedRequest[]): (request: PassedRequest) => boolean {
  const known = new Set(earlier.map(({ path, body }) => path + body));
  return ({ path, body }) => !known.has(path + body);
}

/** When payments-service is killed. `appended`: the event is in the log, and the caller may have no answer yet. */
export const KILLED_AT: readonly (readonly [point: string, at: HeldAt | 'appended'])[] = [
  ['before it arrives', 'request'],
  ['after it took effect and before its answer', 'answer'],
  ['after the append', 'appended'],
];

/** Kills payments-service at the point of a call, and resolves once everything is answered. */
export async function killAt(under: FundingUnderFaults, call: FundingCall, at: HeldAt | 'appended'): Promise<void> {
  const before = await under.countEvents(call.event);
  const path = call.path(under);
  const isNew = isNewAfter(path.requests);
  const isMeant = (request: PassedRequest) => call.isMeant(request) && isNew(request);
  const reached = at === 'appended' ? null : path.holdNext(at, isMeant);
  // The kill ends the connection of the user, too.
  const acted = call.act(under).catch(() => null);
  await (reached ?? under.waitForEvent(call.event, before));
  await under.killPayments();
  await acted;
  await under.waitUntilAnswered();
}
