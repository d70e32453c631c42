import { nullIfBroken, type ApiResponse, type Fields } from '../client.js';
import { unknownEmail, type TestUser } from '../users.js';
import type { WireCreated } from '../wire.js';

const IN_FLIGHT = 24;
/** More than any wallet has. No payer has a source. */
const BEYOND_BALANCE = 2_999_99;
/** A larger amount would empty wallets. */
const LARGEST_CENTS = 100;

/** How a payment goes. */
type Course = (user: TestUser, other: TestUser, cents: number) => Promise<unknown>;

/** Returns the response, or null if it leaves the outcome open, as the kill of a process does. Any other response than 200 is an error. */
async function acknowledged<Data>(sent: Promise<ApiResponse<Data>>): Promise<ApiResponse<Data> | null> {
  const response = await sent.catch(nullIfBroken);
  if (response === null || response.status === 503 || response.status === 504) return null;
  if (response.status !== 200) throw new Error(`A payment was answered ${response.status} ${response.text}`);
  return response;
}

const inDollars = (cents: number) => (cents / 100).toFixed(2);

/** Pays, or charges if the cents are negative. Returns the id of the payment, or null if its outcome is open. */
async function create(user: TestUser, target: Fields, cents: number): Promise<string | null> {
  const created = await acknowledged<WireCreated>(user.send(target, inDollars(cents)));
  return created?.body.data.payment.id ?? null;
}

/** @param actor of the two who acts on the payment once it exists */
const thenActed =
  (target: (other: TestUser) => Fields, sign: 1 | -1, action: string, actor: 'user' | 'other'): Course =>
  async (user, other, cents) => {
    const id = await create(user, target(other), sign * cents);
    if (id !== null) await acknowledged((actor === 'user' ? user : other).act(id, action));
  };

const toUser = ({ id }: TestUser) => ({ user_id: id });
const toStranger = () => ({ email: unknownEmail() });

const pay: Course = (user, other, cents) => create(user, toUser(other), cents);
const payTooMuch: Course = (user, other) => create(user, toUser(other), BEYOND_BALANCE);
export const leaveCharge: Course = (user, other, cents) => create(user, toUser(other), -cents);
export const leaveHeld: Course = (user, _other, cents) => create(user, toStranger(), cents);
const approve = thenActed(toUser, -1, 'approve', 'other');
const deny = thenActed(toUser, -1, 'deny', 'other');
const cancelCharge = thenActed(toUser, -1, 'cancel', 'user');
const cancelHeld = thenActed(toStranger, 1, 'cancel', 'user');

/** Payments take these courses in turn. */
const COURSES: readonly Course[] = [
  ...[pay, approve, pay, deny, pay, cancelHeld, pay, leaveHeld],
  ...[pay, approve, pay, cancelCharge, pay, payTooMuch, pay, leaveCharge],
];

/** Payments of every course among users, while parts of the product may be killed. */
export class MixedPayments {
  #begun = 0;
  #milestone: { readonly count: number; readonly reached: () => void } | null = null;

  constructor(private readonly users: readonly TestUser[]) {}

  /** The number of payments that were begun. */
  get begun(): number {
    return this.#begun;
  }

  /** Resolves once so many payments are begun; never if a run rejects before. One caller may wait at a time. */
  whenBegun(count: number): Promise<void> {
    return new Promise((reached) => {
      this.#milestone = { count, reached };
      this.#reach();
    });
  }

  #reach(): void {
    if (this.#milestone !== null && this.#begun >= this.#milestone.count) this.#milestone.reached();
  }

  /** Makes payments concurrently until so many are begun, and resolves once each has a response. Rejects with a response that no fault explains. */
  async run(count: number, courses = COURSES): Promise<void> {
    const last = this.#begun + count;
    const payOneByOne = async () => {
      while (this.#begun < last) {
        const number = (this.#begun += 1);
        this.#reach();
        const course = courses[number % courses.length] as Course;
        await course(this.#user(number), this.#user(this.#otherOf(number)), 1 + (number % LARGEST_CENTS));
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, payOneByOne));
  }

  #user(number: number): TestUser {
    return this.users[number % this.users.length] as TestUser;
  }

  /** The next round pays other users. */
  #otherOf(number: number): number {
    return number + 1 + (Math.floor(number / this.users.length) % (this.users.length - 1));
  }
}
