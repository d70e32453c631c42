import { eventually } from '@settle/testing';
import type pg from 'pg';
import { beside } from './beside-product.fixture.js';
import type { Page } from './browser.js';
import { HoldUp, type Fate } from './hold-up.fixture.js';
import { askToProve, codeTo, signUp, type Newcomer } from './newcomers.js';
import { type Person, personNamed, unknownEmail } from './people.js';
import { inDatabase, type Victim } from './running-stack.fixture.js';

const TRIES_EACH = 10;
const HELD_CENTS = 7;
/** What a kill left unfinished is the worker's after 2 s; in the stack the wallets find new owners first. */
const SETTLED_WAIT_MS = 45_000;

/** Takes the lock of wallets and keeps it: a credit of one of them waits. */
const TAKE_NEXT_PLACE = `
  insert into events (stream, revision, type, id, data)
  select wallet, (select count(*) from events where stream = wallet), 'Taken', gen_random_uuid(), '{}'
  from unnest($1::text[]) wallet`;

const DECIDED = `select from events where stream = $1 and type = 'PaymentSettled'`;
const JOURNAL = `select wallet_id::text as wallet, event_type as step, amount_cents::int as cents
  from ledger_entries where payment_id = $1 order by event_type desc`;

interface Claimant {
  readonly person: Newcomer;
  readonly page: Page;
  readonly code: string;
}

/** Specs before this one have moved the money of these people to and fro: a balance must cover what is held. */
async function richest(): Promise<Person> {
  const people = await Promise.all((['alice', 'bob', 'carol'] as const).map((name) => personNamed(name)));
  const balances = await Promise.all(people.map((person) => person.balanceCents()));
  return people[balances.indexOf(Math.max(...balances))] as Person;
}

/** Two users, each with a code that was sent to the address: the one who verifies it gets the held money. */
async function claimantsOf(email: string): Promise<Claimant[]> {
  const claimants: Claimant[] = [];
  for (const sent of [1, 2]) {
    const person = await signUp();
    const page = await askToProve(person, 'email', email);
    claimants.push({ person, page, code: await codeTo(email, sent) });
  }
  return claimants;
}

/** Types the code, and once more when the kill has cut the answer off. */
async function proven({ person, page, code }: Claimant, isBack: Promise<void>): Promise<number> {
  const send = async (): Promise<number> => (await person.browser.submit(page, { code }, 'Continue')).status;
  const first = await send().catch(() => null);
  if (first !== null && first < 500) return first;
  await isBack;
  return send();
}

/**
 * Twenty tries of two people race for a held pay, and payments are killed while its claim is being stored. Then it goes
 * to one of the two, once: by their balances, by the journal, and by the whole ledger.
 */
export async function expectOneClaim(victim: Victim, fate: Fate): Promise<void> {
  const payer = await richest();
  const email = unknownEmail();
  const before = await payer.balanceCents();
  const { payment } = (await payer.send({ email }, HELD_CENTS / 100)).body.data;
  const claimants = await claimantsOf(email);
  const wallets = claimants.map(({ person }) => `wallet-${person.id}`);

  const holdUp = await HoldUp.begin('payments', TAKE_NEXT_PLACE, [wallets]);
  const isDecided = (client: pg.Client) =>
    eventually(async () => expect((await client.query(DECIDED, [`payment-${payment.id}`])).rowCount).toBe(1));
  const strike = async () => {
    await holdUp.kill(victim, fate);
    if (fate === 'carried out') await inDatabase('payments', isDecided);
    await victim.back();
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
  const people = claimants.map(({ person }) => person);
  const balances = await Promise.all(people.map(async (person) => [person.id, await person.balanceCents()]));
  expect(balances).toEqual(people.map(({ id }) => [id, id === ownerId ? HELD_CENTS : 0]));
  expect(await payer.balanceCents()).toBe(before - HELD_CENTS);
  const journal = await inDatabase('payments', (client) => client.query(JOURNAL, [payment.id]));
  expect(journal.rows).toEqual([
    { wallet: payer.id, step: 'FundsDebited', cents: HELD_CENTS },
    { wallet: ownerId, step: 'FundsCredited', cents: HELD_CENTS },
  ]);
  expect(await beside('ledger', 'verify')).toMatch(/^wallets: in order$/m);
}
