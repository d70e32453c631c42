import { SettleError } from '@settle/contracts';
import { EXPIRY_DAYS } from './ledger.mjs';
import { createTrust, createUser } from './people.mjs';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A Monday. */
const START_MS = Date.UTC(2026, 8, 7);
export const DAYS = 63;
const USERS = 150;
/** The share of the users who join in the first week; the others join evenly until the end. */
const FIRST_WEEK = 0.35;
/** The share of the users who stay from one week to the next. */
const STAYING = 0.88;
const FRIENDS = 6;

const KINDS = { pay: 0.66, charge: 0.24, hold: 0.07, trusted: 0.03 };
const RESPONSES = { approve: 0.66, deny: 0.11, cancel: 0.08, none: 0.15 };
const APPS = { 'split-the-bill': 0.5, 'pocket-money': 0.3, 'demo-app': 0.2 };
const MEDIUM_OF = { 'split-the-bill': 'ios', 'pocket-money': 'android', 'demo-app': 'web' };

/** Everything that happens in the sample, in the order of time. */
export class Traffic {
  #ledger;
  #random;
  /** Sorted by time, the next one last. */
  #agenda = [];
  #joined = [];
  /** Users who have not joined yet, by whose address they are paid. */
  #expected = [];

  constructor({ ledger, random }) {
    this.#ledger = ledger;
    this.#random = random;
  }

  /** Lets everything of the first days happen. */
  async run(days = DAYS) {
    this.#planJoining();
    for (let next = this.#agenda.pop(); next !== undefined; next = this.#agenda.pop()) {
      if (next.atMs >= START_MS + days * DAY_MS) break;
      this.#ledger.moveTo(next.atMs);
      await next.work(next.atMs);
    }
  }

  #plan(atMs, work) {
    const place = { atMs: Math.floor(atMs), work };
    const index = this.#agenda.findIndex((each) => each.atMs <= place.atMs);
    this.#agenda.splice(index < 0 ? this.#agenda.length : index, 0, place);
  }

  #planJoining() {
    for (let number = 1; number <= USERS; number += 1) {
      const isEarly = number <= USERS * FIRST_WEEK;
      const days = isEarly ? 7 * this.#random.next() : 7 + (DAYS - 7) * this.#random.next();
      const joinedAtMs = Math.floor(START_MS + days * DAY_MS);
      const sourceId = this.#random.weighted({ card: 0.35, declined: 0.05, '': 0.6 }) || null;
      const member = { user: createUser({ number, joinedAtMs, sourceId }), perDay: this.#random.logNormal(0.5, 0.6) };
      this.#expected.push(member);
      this.#plan(joinedAtMs, (atMs) => this.#join(member, atMs));
    }
  }

  async #join(member, atMs) {
    const { user } = member;
    this.#expected = this.#expected.filter((each) => each !== member);
    await this.#ledger.save(user);
    const friends = Array.from({ length: Math.min(FRIENDS, this.#joined.length) }, () =>
      this.#random.pick(this.#joined),
    );
    member.friends = [...new Set(friends)];
    for (const friend of member.friends) friend.friends.push(member);
    if (member.friends.length > 0 && this.#random.happens(0.3)) {
      member.trusts = member.friends[0];
      await this.#ledger.save(createTrust(user, member.trusts.user));
    }
    this.#joined.push(member);
    await this.#ledger.deposit(user.card.id, this.#cents(6_000));
    await this.#ledger.claim(user);
    this.#planWeek(member, atMs);
  }

  /** Plans the payments of a week of a user, and whether there is another one. */
  #planWeek(member, atMs) {
    for (let day = 0; day < 7; day += 1) {
      const isWeekend = [0, 6].includes(new Date(atMs + day * DAY_MS).getUTCDay());
      let chance = member.perDay * (isWeekend ? 1.5 : 1);
      for (; chance > 0; chance -= 1) {
        const timeMs = atMs + (day + this.#random.next()) * DAY_MS;
        if (this.#random.happens(chance)) this.#plan(timeMs, (nowMs) => this.#pay(member, nowMs));
      }
    }
    if (!this.#random.happens(STAYING)) return;
    this.#plan(atMs + 7 * DAY_MS, async (nowMs) => {
      if (this.#random.happens(0.5)) await this.#ledger.deposit(member.user.card.id, this.#cents(4_000));
      this.#planWeek(member, nowMs);
    });
  }

  #cents(median) {
    return Math.max(50, Math.round(this.#random.logNormal(median, 0.8)));
  }

  async #pay(member, atMs) {
    const kind = this.#random.weighted(KINDS);
    const appId = this.#random.weighted(APPS);
    const terms = {
      actorId: member.user.card.id,
      appId,
      medium: MEDIUM_OF[appId],
      amountCents: this.#cents(1_400),
      audience: this.#random.weighted({ private: 0.6, friends: 0.3, public: 0.1 }),
    };
    if (kind === 'hold') return this.#hold(member, terms, atMs);
    const other = kind === 'trusted' ? this.#findTruster(member) : this.#random.pick(member.friends);
    if (other === undefined) return;
    const action = kind === 'pay' ? 'pay' : 'charge';
    const payment = await this.#ledger.create({
      ...terms,
      action,
      target: { type: 'user', value: other.user.card.id },
    });
    if (payment.status === 'pending') this.#planResponse(payment.id, { member, other, appId }, atMs);
  }

  #findTruster(member) {
    return member.friends.find(({ trusts }) => trusts === member);
  }

  async #hold(member, terms, atMs) {
    const invited = this.#random.pick(this.#expected);
    const [address] = invited?.user.addresses ?? [];
    const value = invited === undefined || invited.isInvited ? `${this.#random.uuid()}@example.org` : address.value;
    if (invited !== undefined) invited.isInvited = true;
    const payment = await this.#ledger.create({ ...terms, action: 'pay', target: { type: 'email', value } });
    if (payment.status !== 'pending') return;
    if (this.#random.happens(0.15))
      this.#planAction(payment.id, 'cancel', member, { appId: terms.appId, atMs: atMs + 4 * DAY_MS });
    this.#planExpiry(payment.id, atMs);
  }

  #planResponse(paymentId, { member, other, appId }, atMs) {
    const action = this.#random.weighted(RESPONSES);
    const delayMs = this.#random.logNormal(2.5 * HOUR_MS, 1.4);
    const actor = action === 'cancel' ? member : other;
    if (action !== 'none') this.#planAction(paymentId, action, actor, { appId, atMs: atMs + delayMs });
    this.#planExpiry(paymentId, atMs);
  }

  #planAction(paymentId, action, { user }, { appId, atMs }) {
    this.#plan(atMs, () => ignoreRefusal(this.#ledger.act(paymentId, action, user.card.id, appId)));
  }

  #planExpiry(paymentId, atMs) {
    this.#plan(atMs + EXPIRY_DAYS * DAY_MS + 1_000, () => ignoreRefusal(this.#ledger.expire(paymentId)));
  }
}

/** The payer may have no money for an approval, and the payment may have ended. */
async function ignoreRefusal(work) {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof SettleError)) throw error;
  }
}
