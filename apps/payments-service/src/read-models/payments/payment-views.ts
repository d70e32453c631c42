import type { PaymentView, PersonCard, UserRecord } from '@settle/contracts';
import type { ExistingPayment } from '@settle/payments-domain';
import { addressOf, shownPayment, viewOf, type ShownPayment } from './shown-payment.js';
import type { KnownPeople } from '../../user-replica/known-people.js';

type TargetedPayment = Pick<
  ShownPayment,
  'status' | 'mode' | 'actorId' | 'targetUserId' | 'targetType' | 'targetAddress'
>;
type Known = ReadonlyMap<string, UserRecord>;

const NOBODY: Known = new Map();

/** Puts people's names to payments, as they are called now. */
export class PaymentViews {
  constructor(private readonly people: KnownPeople) {}

  /**
   * A payment as its events leave it; a pending one to an address belongs to whoever has proven that by now.
   * @param known those of the people who have just been looked up
   */
  async ofPayment(id: string, payment: ExistingPayment, known: Known = NOBODY): Promise<PaymentView> {
    const shown = shownPayment(id, payment);
    const targetUserId = await this.targetUserId(shown);
    const [view] = await this.ofShown([{ ...shown, targetUserId }], known);
    if (view === undefined) throw new Error(`Payment ${id} has no view`);
    return view;
  }

  /** Who the target of a payment is right now; null while nobody has proven the address. */
  async targetUserId(payment: TargetedPayment) {
    const { status, targetUserId, actorId } = payment;
    const address = addressOf(payment);
    if (targetUserId !== null || address === null || status !== 'pending') return targetUserId;
    return this.people.ownerOf(address.kind, address.key, actorId);
  }

  /** @param known as in `ofPayment` */
  async ofShown(payments: readonly ShownPayment[], known: Known = NOBODY): Promise<PaymentView[]> {
    const ids = new Set<string>();
    for (const { actorId, targetUserId } of payments) {
      ids.add(actorId);
      if (targetUserId !== null) ids.add(targetUserId);
    }
    for (const userId of known.keys()) ids.delete(userId);
    const users = ids.size === 0 ? NOBODY : await this.people.users(ids);
    const card = (userId: string): PersonCard =>
      (known.get(userId) ?? users.get(userId))?.card ?? unknownPerson(userId);
    return payments.map((payment) => viewOf(payment, card));
  }
}

/** Stands in while the copy of people is behind: a payment is shown rather than withheld. */
function unknownPerson(id: string): PersonCard {
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
