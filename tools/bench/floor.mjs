import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createLoad } from './load.mjs';
import { asAdmin } from './product.mjs';

const DATABASE = 'bench_floor';
const PROGRAM = fileURLToPath(new URL('floor-process.mjs', import.meta.url));
const BALANCE_CENTS = 1_000_000_000;

/** The least that a ledger must store, and the whole payment as one function on the server. */
const SCHEMA = `
  create table tokens (token_sha256 bytea primary key, wallet_id bigint not null, expires_at timestamptz not null);
  create table wallets (id bigint primary key, balance_cents bigint not null check (balance_cents >= 0))
    with (fillfactor = 50);
  create table payments (id bigserial primary key, payer_id bigint not null, payee_id bigint not null,
    amount_cents bigint not null check (amount_cents > 0), note text not null, created_at timestamptz not null default now());
  create table entries (payment_id bigint not null, wallet_id bigint not null, amount_cents bigint not null,
    primary key (payment_id, wallet_id));
  create function pay(token bytea, payee bigint, amount bigint, text_note text) returns bigint language plpgsql as $$
  declare
    payer bigint;
    made bigint;
  begin
    select wallet_id into payer from tokens where token_sha256 = token and expires_at > now();
    if payer is null then return null; end if;
    perform from wallets where id in (payer, payee) order by id for update;
    update wallets set balance_cents = balance_cents - amount where id = payer;
    update wallets set balance_cents = balance_cents + amount where id = payee;
    insert into payments (payer_id, payee_id, amount_cents, note) values (payer, payee, amount, text_note)
      returning id into made;
    insert into entries values (made, payer, -amount), (made, payee, amount);
    return made;
  end $$;`;

/** Fails when the floor did less than it claims: it would be no comparison. */
const CHECK = `
  select (select sum(balance_cents) from wallets) = (select count(*) from wallets) * ${BALANCE_CENTS}::numeric
    and (select count(*) from entries) = 2 * (select count(*) from payments)
    and not exists (select from wallets where balance_cents <> ${BALANCE_CENTS}
      + (select coalesce(sum(amount_cents), 0) from entries where wallet_id = id)) as "isWhole"`;

/**
 * The least that a ledger over HTTP must do, in one Node process on the same server with the same settings: one stored
 * function a payment, without events, idempotency and read models. Returns a load generator over the same wallets.
 */
export async function prepareFloor({ adminUrl, wallets, dir, stops }) {
  await asAdmin(adminUrl, (client) => client.query(`create database ${DATABASE}`));
  const hashes = wallets.map(({ token }) => createHash('sha256').update(token).digest());
  await asAdmin(
    adminUrl,
    async (client) => {
      await client.query(SCHEMA);
      await client.query(`insert into wallets select id, ${BALANCE_CENTS} from unnest($1::bigint[]) as id`, [
        wallets.map(({ id }) => id),
      ]);
      await client.query(
        `insert into tokens select sha256, id, now() + interval '1 day' from unnest($1::bytea[], $2::bigint[]) as of (sha256, id)`,
        [hashes, wallets.map(({ id }) => id)],
      );
      await client.query('vacuum analyze');
    },
    DATABASE,
  );
  const url = new URL(adminUrl);
  url.pathname = `/${DATABASE}`;
  const child = fork(PROGRAM, {
    env: { ...process.env, DATABASE_URL: url.href },
    execArgv: ['--max-semi-space-size=64'],
  });
  const ended = once(child, 'exit');
  const failed = ended.then(() => Promise.reject(new Error('The floor has ended.')));
  failed.catch(() => undefined);
  const [{ port }] = await Promise.race([once(child, 'message'), failed]);
  stops.push(async () => {
    child.kill();
    await ended;
    const { rows } = await asAdmin(adminUrl, (client) => client.query(CHECK), DATABASE);
    if (!rows[0].isWhole) throw new Error('The floor lost money: its figures are worth nothing.');
  });
  return createLoad({ url: `http://127.0.0.1:${port}`, wallets, dir });
}
