import { eventually } from '@settle/testing';
import type pg from 'pg';
import { runPaymentsCommand } from './payments-command.fixture.js';
import type { Page } from './browser.js';
import { BlockingTransaction, type StatementOutcome } from './blocking-transaction.fixture.js';
import { requestVerification, awaitCode, signUp, type SignedUpUser } from './sign-up.js';
import { type TestUser, loadDemoUser, unknownEmail } from './users.js';
import { withDatabase, type KillTarget } from './running-stack.fixture.js';

const TRIES_EACH = 10;
const HELD_CENTS = 7;
/** The worker finishes interrupted payments after 2 s; in the stack, wallets get new owners before that. */
const SETTLED_WAIT_MS = 45_000;

/** Locks the next stream revision of both wallets, so that a credit of either waits. */
const TAKE_NEXT_PLACE = `
  insert into events (stream, revision, type, id, data)
  select wallet, (select count(*) from events where stream = wallet), 'Taken', gen_random_uuid(), '{}'
  from unnest($1::text[]) wallet`;

const DECIDED = `select from events where stream = $1 and type = 'PaymentSettled'`;
const JOURNAL = `select wallet_id::text as wallet, event_type as step, amount_cents::int as cents
  from ledger_entries where payment_id = $1 order by event_type desc`;

interface Claimant {
  readonly user: SignedUpUser;
  readonly page: Page;
  readonly code: string;
}

/** Returns the demo user with the highest balance: earlier specs have moved money, and the balance must cover the held pay. */
async function richest(): Promise<TestUser> {
  const users = await Promise.all((['alice', 'bob', 'carol'] as const).map((name) => loadDemoUser(name)));
  const balances = await Promise.all(users.map((user) => user.balanceCents()));
  return users[balances.indexOf(Math.max(...balances))] as TestUser;
}

/** Returns two users, each with a code that was sent to the address. The one who verifies it gets the held money. */
async function claimantsOf(email: string): Promise<Claimant[]> {
  const claimants: Claimant[] = [];
  for (const sent of [1, 2]) {
    const user = await signUp();
    const page = await requestVerification(user, 'email', email);
    claimants.push({ user, page, code: await awaitCode(email, sent) });
  }
  return claimants;
}

/** Enters the code, and repeats it when the kill has cut off the response. */
async function proven({ user, page, code }: Claimant, isBack: Promise<void>): Promise<number> {
  const send = async (): Promise<number> => (await user.browser.submit(page, { code }, 'Continue')).status;
  const first = await send().catch(() => null);
  if (first !== null && first < 500) return first;
  await isBack;
  return send();
}

/**
 * Twenty attempts of two users race for a held pay, and payments-service is killed while the claim is being stored. The
 * money must go to one of the two, once, according to their balances, the journal and the whole ledger.
 */
export async function expectOneClaim(target: KillTarget, outcome: StatementOutcome): Promise<void> {
  const payer = await richest();
  const email = unknownEmail();
  const before = await payer.balanceCents();
  const { payment } = (await payer.send({ email }, HELD_CENTS / 100)).body.data;
  const claimants = await claimantsOf(email);
  const wallets = claimants.map(({ user }) => `wallet-${user.id}`);

  const blocker = await BlockingTransaction.begin('payments', TAKE_NEXT_PLACE, [wallets]);
  const isDecided = (client: pg.Client) =>
    eventually(async () => expect((await client.query(DECIDED, [`payment-${payment.id}`])).rowCount).toBe(1));
  const strike = async () => {
    await blocker.kill(target, outcome);
    if (outcome === 'committed') await withDatabase('payments', isDecided);
    await target.back();
  };
  const isBack = strike();
  const tries = claimants.flatMap((claimant) => Array<Claimant>(TRIES_EACH).fill(claimant));
  const statuses = await Promise.all(tries.map((each) => proven(each, isBack)));
  expect(statuses.filter((status) => status >= 500)).toEqual([]);
  await isBack;

  const settled = await eventually(
    async () => {
      const { data } = (await payer.read(payment.id)).body;
      expect(data.status).toBe('settled');
      return data;
    },
    { timeoutMs: SETTLED_WAIT_MS },
  );
  const ownerId = settled.target.user?.id;
  const users = claimants.map(({ user }) => user);
  const balances = await Promise.all(users.map(async (user) => [user.id, await user.balanceCents()]));
  expect(balances).toEqual(users.map(({ id }) => [id, id === ownerId ? HELD_CENTS : 0]));
  expect(await payer.balanceCents()).toBe(before - HELD_CENTS);
  const journal = await withDatabase('payments', (client) => client.query(JOURNAL, [payment.id]));
  expect(journal.rows).toEqual([
    { wallet: payer.id, step: 'FundsDebited', cents: HELD_CENTS },
    { wallet: ownerId, step: 'FundsCredited', cents: HELD_CENTS },
  ]);
  expect(await runPaymentsCommand('ledger', 'verify')).toMatch(/^wallets: in order$/m);
}
