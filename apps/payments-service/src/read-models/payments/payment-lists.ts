import type { ResultCache, ReadResult } from '@settle/concurrency';
import type { ListPayments, PaymentView, PaymentsPage, UserCard } from '@settle/contracts';
import { CHANGED_KEY } from '../../storage/changed-keys.js';
import type { UserReplica } from '../../user-replica/user-replica.js';
import { addressOf, type PaymentRow } from './payment-row.js';
import type { PaymentViews } from './payment-views.js';
import type { PaymentsQuery } from './payments-query.js';

/** Estimated size of a payment and of its response, without texts of variable length. */
const PAYMENT_BYTES = 2_000;
const CHARACTER_BYTES = 2;

export interface PaymentListsParts {
  readonly payments: Pick<PaymentsQuery, 'list'>;
  readonly views: Pick<PaymentViews, 'viewsOf'>;
  readonly users: Pick<UserReplica, 'findUser'>;
  /** Null: every page is read. */
  readonly pages: ResultCache<PaymentsPage> | null;
}

/** Pages of the payments of a user, with the current names of all parties. */
export class PaymentLists {
  constructor(private readonly parts: PaymentListsParts) {}

  /** Returns the same object while nothing on the page has changed. */
  async page(query: ListPayments): Promise<PaymentsPage> {
    const { pages } = this.parts;
    if (pages === null) return (await this.#read(query)).page;
    return pages.get(nameOf(query), () => this.#readTracked(query));
  }

  async #read(query: ListPayments): Promise<{ readonly rows: readonly PaymentRow[]; readonly page: PaymentsPage }> {
    const { payments, views } = this.parts;
    const { payments: rows, next } = await payments.list(query);
    return { rows, page: { payments: await views.viewsOf(rows), next } };
  }

  async #readTracked(query: ListPayments): Promise<ReadResult<PaymentsPage>> {
    const { viewerId } = query;
    const [viewer, { rows, page }] = await Promise.all([this.parts.users.findUser(viewerId), this.#read(query)]);
    const keys = new Set([CHANGED_KEY.payments(viewerId), CHANGED_KEY.user(viewerId)]);
    // A pending payment to an address is in the list of the user who was the last to verify it.
    for (const { kind, value } of viewer?.addresses ?? []) keys.add(CHANGED_KEY.address(kind, value));
    for (const row of rows) {
      const address = row.status === 'pending' ? addressOf(row) : null;
      if (address !== null) keys.add(CHANGED_KEY.address(address.kind, address.key));
      keys.add(CHANGED_KEY.user(row.actorId));
      if (row.targetUserId !== null) keys.add(CHANGED_KEY.user(row.targetUserId));
    }
    return { result: page, dependsOn: [...keys], bytes: bytesOf(page, nameOf(query)) };
  }
}

/** Returns a text that is different for each list. */
function nameOf({ viewerId, action, limit, afterUs, beforeUs, beforeId, statuses, actorIds }: ListPayments): string {
  return `${viewerId} ${action} ${limit} ${afterUs} ${beforeUs} ${beforeId} ${statuses.join()} ${actorIds.join()}`;
}

function bytesOf({ payments }: PaymentsPage, name: string): number {
  const characters = payments.reduce((sum, payment) => sum + charactersOf(payment), name.length);
  return (payments.length + 1) * PAYMENT_BYTES + characters * CHARACTER_BYTES;
}

function charactersOf({ note, actor, target }: PaymentView): number {
  return note.length + charactersOfCard(actor) + (target.user === null ? 0 : charactersOfCard(target.user));
}

function charactersOfCard({ username, firstName, lastName, displayName, about, profilePictureUrl }: UserCard): number {
  return [username, firstName, lastName, displayName, about, profilePictureUrl].join('').length;
}
