import type { ClientBase } from 'pg';
import { MalformedStatement } from './statement-lines.js';
import type { StatementHead, StatementRow } from './statement.js';
import type { OwnFact } from './own-bookings.js';

/** Temporary: they end with the connection, and no other one sees them. */
const TABLES = [
  `create temp table statement_rows (
    kind text not null,
    match text not null,
    key text not null,
    provider_id text not null,
    cents bigint not null,
    state text not null,
    progress text not null,
    at_us bigint not null,
    line bigint not null,
    primary key (kind, match)
  )`,
  `create temp table own_facts (
    number bigint generated always as identity,
    kind text not null,
    match text not null,
    key text not null,
    state text not null,
    cents bigint,
    at_us bigint not null,
    owner text not null
  )`,
  'create index on own_facts (kind, match, number)',
  'create index on own_facts (match)',
];

const ADD_ROWS = `
  insert into statement_rows (kind, match, key, provider_id, cents, state, progress, at_us, line)
  select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::text[], $8::bigint[],
    $9::bigint[])
  on conflict do nothing returning line`;
const FIND_ROW = 'select line from statement_rows where kind = $1 and match = $2';
/**
 * Keeps what lies in the period or near it, what the statement names, and all repayments with their returns, which are few
 * and explain each other. Everything else of a long log is dropped.
 */
const ADD_FACTS = `
  insert into own_facts (kind, match, key, state, cents, at_us, owner)
  select v.* from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::text[])
    as v (kind, match, key, state, cents, at_us, owner)
  where (v.at_us >= $8 and v.at_us < $9) or v.kind in ('repayment', 'payout_return')
    or (select true from statement_rows s where s.kind = v.kind and s.match = v.match) is true
    or (select true from own_facts f where f.kind = v.kind and f.match = v.match limit 1) is true`;

const REVERSALS: readonly string[] = ['reversal', 'reversal_won'];

/** Creates the tables of a comparison. Error: the role may not create temporary tables. */
export async function createStatementTables(client: ClientBase): Promise<void> {
  for (const statement of TABLES) await client.query(statement);
}

/** Adds rows of the statement. Error: `MalformedStatement` if a booking stands there twice. */
export async function addStatementRows(client: ClientBase, batch: readonly StatementRow[]): Promise<void> {
  const columns: ((row: StatementRow) => unknown)[] = [
    ({ kind }) => kind,
    matchOf,
    ({ key }) => key,
    ({ providerId }) => providerId,
    ({ cents }) => cents,
    ({ state }) => state,
    ({ progress }) => progress,
    ({ atUs }) => atUs,
    ({ line }) => line,
  ];
  const values = columns.map((valueOf) => batch.map(valueOf));
  const { rows } = await client.query<{ line: string }>({ name: 'add-statement-rows', text: ADD_ROWS, values });
  if (rows.length === batch.length) return;
  const added = new Set(rows.map(({ line }) => Number(line)));
  const repeated = batch.find(({ line }) => !added.has(line));
  if (repeated === undefined) return;
  const first = await client.query<{ line: string }>(FIND_ROW, [repeated.kind, matchOf(repeated)]);
  throw new MalformedStatement(repeated.line, `line ${first.rows[0]?.line} is about the same ${repeated.kind}`);
}

/** Adds what our events say, as far as the comparison needs it. @param edgeUs how far around the period */
export async function addOwnFacts(
  client: ClientBase,
  facts: readonly OwnFact[],
  { fromUs, toUs, edgeUs }: Pick<StatementHead, 'fromUs' | 'toUs'> & { readonly edgeUs: number },
): Promise<void> {
  if (facts.length === 0) return;
  const columns: ((fact: OwnFact) => unknown)[] = [
    ({ kind }) => kind,
    ({ match }) => match,
    ({ key }) => key,
    ({ state }) => state,
    ({ cents }) => cents,
    ({ atUs }) => atUs,
    ({ owner }) => owner,
  ];
  const values = [...columns.map((valueOf) => facts.map(valueOf)), fromUs - edgeUs, toUs + edgeUs];
  await client.query({ name: 'add-own-facts', text: ADD_FACTS, values });
}

/** A charge may have several reversals, so they are matched by the provider's id. */
function matchOf({ kind, key, providerId }: StatementRow): string {
  return REVERSALS.includes(kind) ? providerId : key;
}
