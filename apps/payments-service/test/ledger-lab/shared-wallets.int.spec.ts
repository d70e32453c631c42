import { LIMITS } from '@settle/config';
import type { ActOnPayment, CreatePayment, UserRecord, UsersStateRecord } from '@settle/contracts';
import type { EventStore } from '@settle/event-store';
import { eventually } from '@settle/testing';
import { walletStream } from '../../src/storage/streams.js';
import { altered } from './altered-store.fixture.js';
import { LabInstance, LedgerLab } from './ledger-lab.fixture.js';
import { LIVES, type Scene } from './lives.fixture.js';
import { anEmail, createCommand, pair, person, proves } from './people.fixture.js';
import { SharedOut } from './sharing-bus.fixture.js';

const PAIRS = 1_000;
const MOST_ROUNDS = 5;
const byParity = (userId: string) => Number(BigInt(userId) % 2n);

describe('wallets that are shared out among two instances', () => {
  let lab: LedgerLab;
  let shared: SharedOut;
  let instances: LabInstance[];
  /** The streams that each instance has appended to. */
  let written: [Set<string>, Set<string>];
  let aheadMs = 0;

  beforeEach(async () => {
    lab = await LedgerLab.open();
    shared = new SharedOut(byParity);
    written = [new Set(), new Set()];
    const nowMs = () => Date.now() + aheadMs;
    for (const index of [0, 1] as const) {
      const wrapStore = (store: EventStore) => noting(store, written[index]);
      shared.instances.push(await lab.instance({ bus: shared.bus(index), wrapStore, nowMs }));
    }
    instances = shared.instances;
  });
  afterEach(async () => {
    await lab.expectInOrder();
    await lab.close();
  });

  /** A user whose wallet is assigned to this instance. */
  function personOf(index: number, traits: Partial<UserRecord> = {}): UserRecord {
    for (;;) {
      const drawn = person(traits);
      if (byParity(drawn.card.id) === index) return drawn;
    }
  }

  async function twoPeople(cents: number): Promise<[UserRecord, UserRecord]> {
    const people: [UserRecord, UserRecord] = [personOf(0), personOf(1)];
    await lab.know(...people);
    for (const [index, who] of people.entries()) await instances[index]?.fund(who, cents);
    return people;
  }

  const ownerOf = ({ card }: UserRecord) => instances[shared.indexOf(card.id)]!;

  async function workOff(): Promise<void> {
    for (let round = 1; round <= MOST_ROUNDS; round += 1) {
      await lab.caughtUp();
      aheadMs += 60_000;
      const looked = await Promise.all(instances.map(({ ledger }) => ledger.worker.runDueWork()));
      if (looked.every((count) => count === 0)) return;
    }
    throw new Error(`There is work left after ${MOST_ROUNDS} rounds of the workers`);
  }

  it('given a payer and a payee of different instances, when one pays, then each writes its own wallet, and all see it', async () => {
    const [payer, payee] = await twoPeople(1_000);
    for (const streams of written) streams.clear();
    const { payment, balanceCents } = await ownerOf(payer).create(payer, payee);
    expect([payment.status, balanceCents]).toEqual(['settled', 900]);
    for (const instance of instances) {
      expect([await instance.balance(payer), await instance.balance(payee)]).toEqual([900, 1_100]);
    }
    expect(written[0].has(walletStream(payee.card.id))).toBe(false);
    expect([...written[1]]).toEqual([walletStream(payee.card.id)]);
  });

  it(`given ${PAIRS} pairs, when both pay each other at once, then no deadlock delays them`, async () => {
    const [one, other] = await twoPeople(200_000);
    const answers = await Promise.all(
      Array.from({ length: PAIRS }, () => [ownerOf(one).create(one, other), ownerOf(other).create(other, one)]).flat(),
    );
    const statuses = new Set(answers.map(({ payment }) => payment.status));
    expect(statuses).toEqual(new Set(['settled']));
    // On a slow machine a credit may be left to the workers, and a response waits two seconds at most for the read models.
    await workOff();
    expect([await instances[0]?.balance(one), await instances[1]?.balance(other)]).toEqual([200_000, 200_000]);
  });

  it.each(LIVES)('given both, when it lives through $mode, then it comes to the same end', async (life) => {
    const [actor, target] = [personOf(0, life.actor), personOf(1, life.target)];
    await lab.know(actor, target);
    for (const [at, who] of [actor, target].entries()) {
      if ((life.cents?.[at] ?? 0) > 0) await ownerOf(who).fund(who, life.cents?.[at] ?? 0);
    }
    const routed = routedTo(shared);
    const know = (...records: readonly UsersStateRecord[]) => lab.know(...records);
    const scene: Scene = { failing: routed, steady: routed, actor, target, know };
    const paymentId = (await life.before?.(scene)) ?? createCommand(actor, target).paymentId;
    await Promise.resolve(life.run(scene, paymentId)).catch((error: unknown) =>
      expect(error).toMatchObject({ code: 'insufficient_funds' }),
    );
    await workOff();
    expect((await instances[1]?.view(actor, paymentId))?.status).toBe(life.status);
    expect([await instances[0]?.balance(actor), await instances[0]?.balance(target)]).toEqual(life.balances);
  });

  it('given an owner who does not answer, when paid, then the answer is what is stored, and the credit follows', async () => {
    const [payer, payee] = await twoPeople(1_000);
    shared.isSilent = true;
    const { payment } = await ownerOf(payer).create(payer, payee);
    expect([payment.status, await instances[0]?.balance(payee)]).toEqual(['settled', 1_000]);
    await workOff();
    expect(await instances[0]?.balance(payee)).toBe(1_100);
  });

  it('given a trusting friend whose owner does not answer, when charged, then the outcome is unknown, and it is settled later', async () => {
    const [actor, friend] = await twoPeople(1_000);
    await lab.know(pair(friend, actor, { trusts: true }));
    shared.isSilent = true;
    const command = createCommand(actor, friend, { action: 'charge' });
    await expect(ownerOf(actor).commands.create(command)).rejects.toMatchObject({ code: 'outcome_unknown' });
    await workOff();
    expect((await instances[0]?.view(actor, command.paymentId))?.status).toBe('settled');
    expect(await instances[0]?.balance(actor)).toBe(1_100);
  });

  it('given as many as may wait for others, when one more pays, then it is refused before anything is stored', async () => {
    const [payer, payee] = await twoPeople(200_000);
    const release = shared.holdBack();
    const { waitingForOwners } = LIMITS.payments;
    const waiting = Array.from({ length: waitingForOwners }, () => ownerOf(payer).create(payer, payee));
    await eventually(async () => expect(shared.asked).toBe(waitingForOwners));
    const oneMore = createCommand(payer, payee);
    await expect(ownerOf(payer).commands.create(oneMore)).rejects.toMatchObject({ code: 'service_unavailable' });
    release();
    await Promise.all(waiting);
    await expect(instances[0]?.view(payer, oneMore.paymentId)).rejects.toMatchObject({ code: 'resource_not_found' });
    expect(await instances[0]?.balance(payee)).toBe(200_000 + 100 * waitingForOwners);
  });

  it('given payments both ways, when wallets change hands all the time, then each is settled once', async () => {
    const [one, other] = await twoPeople(100_000);
    let turn = 0;
    const pays = Array.from({ length: 20 }, async () => {
      for (let count = 0; count < 10; count += 1) {
        turn += 1;
        const [payer, payee] = turn % 2 === 0 ? [one, other] : [other, one];
        if (turn % 7 === 0) shared.shareOut((userId) => (byParity(userId) + turn) % 2);
        const { payment } = await ownerOf(payer).create(payer, payee);
        expect(payment.status).toBe('settled');
      }
    });
    await Promise.all(pays);
    await workOff();
    expect([await instances[0]?.balance(one), await instances[0]?.balance(other)]).toEqual([100_000, 100_000]);
  });

  it("given a proof that one instance learns of, when it is another's user, then that one claims", async () => {
    const [payer, owner] = await twoPeople(1_000);
    const mail = anEmail();
    const { payment } = await ownerOf(payer).create(payer, mail);
    await lab.caughtUp();
    const { live, users } = instances[0]!.ledgers;
    live.worker.queueVerified(await users.save([proves(owner, mail)]));
    await eventually(async () => expect((await instances[0]?.view(payer, payment.id))?.status).toBe('settled'));
    expect(written[0].has(walletStream(owner.card.id))).toBe(false);
    expect(shared.asked).toBe(1);
  });
});

/** Both instances behind one face: who acts decides which is asked. */
function routedTo(shared: SharedOut): LabInstance {
  const of = (userId: string) => shared.instances[shared.indexOf(userId)]!;
  const first = shared.instances[0]!;
  const routed = new LabInstance(first.ledgers, first.store, first.pools, () => Promise.resolve());
  routed.commands.create = (command: CreatePayment) => of(command.actorId).commands.create(command);
  routed.commands.act = (command: ActOnPayment) => of(command.actorId).commands.act(command);
  return routed;
}

function noting(store: EventStore, streams: Set<string>): EventStore {
  return altered(store, {
    append: (unit) => {
      for (const { stream } of unit) streams.add(stream);
      return store.append(unit);
    },
  });
}
