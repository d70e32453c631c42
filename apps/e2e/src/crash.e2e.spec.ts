import { call } from './client.js';
import { ownProduct } from './own-product.js';
import { type Person, personNamed, unknownEmail } from './people.js';
import type { WirePayment } from './wire.js';

const KILLS = 10;
const CLIENTS = 8;
/** Alice's and bob's; alice's source adds none while her balance covers what she pays. */
const FUNDING_CENTS = 150_00;
const LOAD_BEFORE_KILL = 60;

describe('a product that is killed under load', () => {
  const product = ownProduct();
  let people: Person[];

  /** What was answered with 200, by id: the status that the answer said. */
  const answered = new Map<string, string>();
  let noteAnswer = () => {};

  beforeAll(async () => {
    await product.start();
    people = await Promise.all([personNamed('alice'), personNamed('bob'), personNamed('carol')]);
  }, 120_000);

  afterAll(() => product.close(), 60_000);

  /** One user after another pays the next a cent, or an address without an owner; records the responses. */
  const client = async (number: number, isOver: () => boolean) => {
    for (let sent = 0; !isOver(); sent += 1) {
      const payer = people[(number + sent) % people.length] as Person;
      const payee = people[(number + sent + 1) % people.length] as Person;
      const target = sent % 7 === 6 ? { email: unknownEmail() } : { user_id: payee.id };
      // A call that the kill cuts off has no answer: then nothing was promised.
      const answer = await payer.send(target, '0.01', { note: `client ${number}` }).catch(() => null);
      if (answer?.status !== 200) continue;
      answered.set(answer.body.data.payment.id, answer.body.data.payment.status);
      noteAnswer();
    }
  };

  const killUnderLoad = async () => {
    let isOver = false;
    const enough = answered.size + LOAD_BEFORE_KILL;
    const isLoaded = new Promise<void>((resolve) => {
      noteAnswer = () => (answered.size >= enough ? resolve() : undefined);
    });
    const clients = Array.from({ length: CLIENTS }, (_, number) => client(number, () => isOver));
    await isLoaded;
    await product.kill();
    isOver = true;
    await Promise.all(clients);
  };

  const everything = async (person: Person): Promise<WirePayment[]> => {
    const all: WirePayment[] = [];
    let page = await person.list({ limit: 50 });
    for (;;) {
      all.push(...page.body.data);
      if (page.body.pagination.next === null) return all;
      page = await call(page.body.pagination.next, { token: person.token });
    }
  };

  /** What stands between wallets: pending pays, whose money is held. */
  const heldCents = (payments: ReadonlyMap<string, WirePayment>) =>
    [...payments.values()].filter(({ status, action }) => status === 'pending' && action === 'pay').length;

  /** Steps that a kill cut off are finished by the worker: until then the money is on its way. */
  const untilNothingIsOnItsWay = async () => {
    const deadline = Date.now() + 20_000;
    for (;;) {
      const found = new Map((await Promise.all(people.map(everything))).flat().map((one) => [one.id, one]));
      const balances = await Promise.all(people.map((person) => person.balanceCents()));
      const sumCents = balances.reduce((sum, each) => sum + each, 0) + heldCents(found);
      const isDone = [...found.values()].every(({ status, target }) => status !== 'pending' || target.user === null);
      if ((isDone && sumCents === FUNDING_CENTS) || Date.now() > deadline) return { found, balances, sumCents };
    }
  };

  // Shows create-31, act-19
  it(`given ${KILLS} kills, then all that was answered is there, once, and no cent is missing`, async () => {
    for (let kill = 0; kill < KILLS; kill += 1) {
      await killUnderLoad();
      await product.start();
    }
    const { found, balances, sumCents } = await untilNothingIsOnItsWay();
    const differing = [...answered].filter(([id, status]) => found.get(id)?.status !== status);
    expect(differing).toEqual([]);
    for (const person of people) {
      const ids = (await everything(person)).map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
    }
    expect(Math.min(...balances)).toBeGreaterThanOrEqual(0);
    expect(sumCents).toBe(FUNDING_CENTS);
    expect(answered.size).toBeGreaterThanOrEqual(KILLS * LOAD_BEFORE_KILL);

    // Each wallet is what its own payments say: a payment that had moved money twice would show here.
    const begun = [100_00, 50_00, 0];
    people.forEach((person, at) => {
      const moved = [...found.values()].reduce((sum, { status, actor, target }) => {
        const out = actor.id === person.id && (status === 'settled' || status === 'pending') ? 1 : 0;
        const into = target.user?.id === person.id && status === 'settled' ? 1 : 0;
        return sum - out + into;
      }, begun[at] ?? 0);
      expect(balances[at]).toBe(moved);
    });
  }, 240_000);
});
