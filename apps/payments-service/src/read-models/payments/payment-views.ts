import type { PaymentView, UserCard, UserRecord } from '@settle/contracts';
import type { ExistingPayment } from '@settle/payments-domain';
import type { PaymentTexts } from '../../data-keys/payment-texts.js';
import { addressOf, paymentRowOf, viewOf, type PaymentRow } from './payment-row.js';
import { findUsers, type UserReplica } from '../../user-replica/user-replica.js';

type TargetedPayment = Pick<
  PaymentRow,
  'status' | 'mode' | 'actorId' | 'targetUserId' | 'targetType' | 'targetAddress'
>;
type Users = ReadonlyMap<string, UserRecord>;

const NO_USERS: Users = new Map();

/** Builds the view of payments for responses, with the current names of their users. */
export class PaymentViews {
  constructor(
    private readonly replica: UserReplica,
    private readonly texts: PaymentTexts,
  ) {}

  /**
   * Returns the view of a payment in the state of its events. A pending payment to an address belongs to the user who has
   * verified the address by now.
   * @param known users that the caller has just read
   */
  async viewOf(id: string, payment: ExistingPayment, known: Users = NO_USERS): Promise<PaymentView> {
    const [view] = await this.viewsOf([await this.rowOf(id, payment)], known);
    if (view === undefined) throw new Error(`Payment ${id} has no view`);
    return view;
  }

  /** Returns the row of a payment in the state of its events, with the user who is its target now. */
  async rowOf(id: string, payment: ExistingPayment): Promise<PaymentRow> {
    const row = paymentRowOf(id, await this.texts.open(id, payment));
    return { ...row, targetUserId: await this.#findTargetUserId(row) };
  }

  /** Null while no user has verified the address. */
  async #findTargetUserId(payment: TargetedPayment) {
    const { status, targetUserId, actorId } = payment;
    const address = addressOf(payment);
    if (targetUserId !== null || address === null || status !== 'pending') return targetUserId;
    return this.replica.findOwner(address.kind, address.key, actorId);
  }

  /** @param known as in `ofPayment` */
  async viewsOf(payments: readonly PaymentRow[], known: Users = NO_USERS): Promise<PaymentView[]> {
    const ids = new Set<string>();
    for (const { actorId, targetUserId } of payments) {
      ids.add(actorId);
      if (targetUserId !== null) ids.add(targetUserId);
    }
    for (const userId of known.keys()) ids.delete(userId);
    const users = ids.size === 0 ? NO_USERS : await findUsers(this.replica, ids);
    const card = (userId: string): UserCard => (known.get(userId) ?? users.get(userId))?.card ?? unknownUser(userId);
    return payments.map((payment) => viewOf(payment, card));
  }
}

/** Placeholder while the user replica is behind: the payment is shown all the same. */
function unknownUser(id: string): UserCard {
  return {
    id,
    username: '',
    firstName: '',
    lastName: '',
    displayName: '',
    about: '',
    profilePictureUrl: '',
    dateJoinedUs: 0,
  };
}
