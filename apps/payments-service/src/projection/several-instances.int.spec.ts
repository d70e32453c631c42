import { jest } from '@jest/globals';
import type { EventStore, SubscribeOptions, Subscription } from '@settle/event-store';
import { eventually } from '@settle/testing';
import type { Pool } from 'pg';
import { altered } from '../../test/ledger-lab/altered-store.fixture.js';
import { FreezingPool } from '../../test/ledger-lab/freezing-pool.fixture.js';
import { LedgerLab, type LabInstance } from '../../test/ledger-lab/ledger-lab.fixture.js';
import { person } from '../../test/ledger-lab/people.fixture.js';
import { PROJECTION, readCheckpoint } from './checkpoints.js';

/** The lease ends after 1.5 s; the rest is for a busy machine. */
const TAKEOVER_MS = 15_000;

/** Sees who follows the log, and can hold back what he is given. */
class Followers {
  readonly #following = new Map<Subscription, string>();
  most = 0;
  release: () => void = () => undefined;
  #held: Promise<void> | undefined;

  get now(): string[] {
    return [...this.#following.values()];
  }

  readonly as =
    (name: string) =>
    (store: EventStore): EventStore =>
      altered(store, { subscribe: (options) => this.#subscribe(name, store, options) });

  /** New subscribers get no event before `release` is called. */
  hold(): void {
    this.#held = new Promise((resolve) => (this.release = resolve));
  }

  #subscribe(name: string, store: EventStore, options: SubscribeOptions): Subscription {
    const held = this.#held;
    const subscription = store.subscribe({
      ...options,
      handle: async (events, upTo) => {
        await held;
        await options.handle(events, upTo);
      },
    });
    // The projection of the ledger alone follows wallets.
    if (options.streamPrefixes.some((prefix) => prefix.startsWith('wallet-'))) this.#following.set(subscription, name);
    this.most = Math.max(this.most, this.#following.size);
    return {
      stop: async () => {
        await subscription.stop();
        this.#following.delete(subscription);
      },
    };
  }
}

/** Returns whether each response of the instance from now on waited until the read models had its events, or gave up after 2 s. */
function waitsOf({ ledger }: LabInstance): () => Promise<boolean[]> {
  const waits = jest.spyOn(ledger.projector, 'waitForPosition');
  return () => Promise.all(waits.mock.results.map(({ value }) => value as Promise<boolean>));
}

/** Nothing but single statements: who wants to listen is refused. */
const deaf = (pool: Pool): Pool =>
  ({
    query: (...args: Parameters<Pool['query']>) => pool.query(...args),
    connect: () => Promise.reject(new Error('No connection for you')),
  }) as unknown as Pool;

describe('the projector of several instances', () => {
  let lab: LedgerLab;
  let followers: Followers;
  const [one, other] = [person(), person()];

  beforeEach(async () => {
    lab = await LedgerLab.open();
    followers = new Followers();
  });
  afterEach(async () => {
    followers.release();
    await lab.expectInOrder();
    await lab.close();
  });

  async function instances(...names: string[]): Promise<LabInstance[]> {
    const started: LabInstance[] = [];
    for (const name of names) started.push(await lab.instance({ wrapStore: followers.as(name) }));
    await lab.know(one, other);
    return started;
  }

  async function checkpoint(): Promise<{ position: number; fence: number }> {
    const { rows } = await lab.pool.query<{ fence: string }>('select fence from checkpoints where name = $1', [
      PROJECTION,
    ]);
    return { position: await readCheckpoint(lab.pool, PROJECTION), fence: Number(rows[0]?.fence) };
  }

  it('given three, when all of them are at work, then one projects', async () => {
    const all = await instances('a', 'b', 'c');
    for (const instance of all) await instance.fund(one, 100);
    await Promise.all(all.map((instance) => instance.create(one, other, { amountCents: 10 })));
    expect([followers.now, followers.most]).toEqual([['a'], 1]);
  });

  it('given the one that projects stops, when payments go on, then the next takes over at once', async () => {
    const [first, second] = await instances('a', 'b');
    await second?.fund(one, 1_000);
    await first?.stop();
    const waits = waitsOf(second!);
    await second?.create(one, other);
    expect(await waits()).toEqual([true]);
    expect(followers.now).toEqual(['b']);
  });

  it('given the one that projects freezes in mid-write, when it wakes up, then it has lost and writes nothing', async () => {
    const frozen = new FreezingPool();
    const first = await lab.instance({ wrapStore: followers.as('a'), wrapProjections: frozen.before });
    const [second] = await instances('b');
    await second?.fund(one, 10_000);
    await eventually(() => expect(followers.now).toEqual(['a']));
    const before = await checkpoint();
    frozen.freeze();
    followers.hold();
    const since = performance.now();
    // Not awaited: its answer waits for the read models.
    const paying = first.create(one, other);
    await eventually(() => expect(frozen.waitingStatements).toBeGreaterThan(0));
    await eventually(() => expect(followers.now).toContain('b'));
    expect(performance.now() - since).toBeLessThan(TAKEOVER_MS);
    expect(await checkpoint()).toEqual({ position: before.position, fence: before.fence + 1 });
    frozen.thaw();
    await eventually(() => expect(followers.now).toEqual(['b']));
    // It tried, and would have been in time: the checkpoint has not moved.
    expect(await checkpoint()).toEqual({ position: before.position, fence: before.fence + 1 });
    followers.release();
    await paying;
    await lab.caughtUp();
    expect((await checkpoint()).position).toBeGreaterThan(before.position);
  });

  it('given leases and connections that are lost again and again, when one has answered, then every other shows it', async () => {
    const all = await instances('a', 'b', 'c');
    await all[0]?.fund(one, 100_000);
    let left = 200;
    const pick = () => all[Math.floor(Math.random() * all.length)] as LabInstance;
    const payer = async () => {
      while (left > 0) {
        left -= 1;
        const { payment } = await pick().create(one, other, { amountCents: 1 });
        expect((await pick().view(other, payment.id)).status).toBe('settled');
      }
    };
    const trouble = async () => {
      while (left > 0) {
        const fence = (await checkpoint()).fence;
        await lab.pool.query(`update leases set holder = 'none', expires_at = clock_timestamp()`);
        await lab.pool.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and application_name = 'payments-projections'`,
        );
        await eventually(async () => expect((await checkpoint()).fence).toBeGreaterThan(fence));
      }
    };
    await Promise.all([payer(), payer(), payer(), payer(), trouble()]);
  });

  it('given one that cannot listen, when another projects, then its answers are shown all the same', async () => {
    await instances('a');
    const unhearing = await lab.instance({ wrapStore: followers.as('b'), wrapProjections: deaf });
    await lab.know(one, other);
    const waits = waitsOf(unhearing);
    await unhearing.fund(one, 1_000);
    const { payment } = await unhearing.create(one, other);
    expect((await unhearing.view(other, payment.id)).status).toBe('settled');
    expect(await waits()).toEqual([true, true]);
    expect(followers.now).toEqual(['a']);
  });

  it('given its listening connection is cut, when payments go on, then they are shown, and it listens again', async () => {
    const [, second] = await instances('a', 'b');
    await second?.fund(one, 1_000);
    const listening = `select pid from pg_stat_activity where datname = current_database()
      and query in ('select', 'listen settle_projected', 'listen settle_appended') and pid <> pg_backend_pid()`;
    // Each has one for the progress, and the one that projects another for the events of others.
    await eventually(async () => expect((await lab.pool.query(listening)).rowCount).toBe(3));
    await lab.pool.query(`select pg_terminate_backend(pid) from (${listening}) as listener`);
    const waits = waitsOf(second!);
    await second?.create(one, other);
    expect(await waits()).toEqual([true]);
    await eventually(async () => expect((await lab.pool.query(listening)).rowCount).toBe(3));
  });
});
