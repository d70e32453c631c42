import { DEFAULT_PAGE_SIZE as PAGE, PAYMENT_ACTIONS, PAYMENT_STATUSES, type ListPayments } from '@settle/contracts';
import { createPool, migrateSchema } from '@settle/postgres';
import { freshDatabase, type FreshDatabase } from '@settle/testing';
import pg, { type Pool, type PoolClient } from 'pg';
import { PAYMENTS_SCHEMA } from '../../payments-schema.js';
import { listStatement } from './list-statements.js';
import {
  DENSE_ACTOR,
  RARE_ACTOR,
  SEEDED_UNTIL_US,
  seedPayments,
} from '../../../test/read-models/payments/seeded-payments.fixture.js';

const FEW = { id: '1800000000000000000', payments: 1_000 };
const MANY = { id: '1810000000000000000', payments: 100_000 };
const STRANGERS = Array.from({ length: 20 }, (_, at) => String(1_900_000_000_000_000_000n + BigInt(at)));
/** Pages of an index from its root to a leaf, and one beyond where a range begins at the border of two. */
const DESCENT_PAGES = 5;

/** By which two pages of the same list may differ, by where rows and ranges happen to lie. */
const BORDER_PAGES = 4;

type Shape = Omit<ListPayments, 'viewerId' | 'environment'>;

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly PlanNode[];
}

/** Every filter, every way to name several values, and everything together with everything else. */
function shapesFor(viewerId: string): Shape[] {
  const any = { afterUs: null, beforeUs: null, beforeId: null };
  const middle = SEEDED_UNTIL_US / 2;
  const times = [
    any,
    { ...any, afterUs: middle },
    { ...any, beforeUs: middle },
    { afterUs: 30, beforeUs: middle, beforeId: viewerId },
    { ...any, afterUs: SEEDED_UNTIL_US },
  ];
  const actors = [[], [viewerId], [RARE_ACTOR], [DENSE_ACTOR], [viewerId, RARE_ACTOR, DENSE_ACTOR], STRANGERS];
  const statuses = [[], ...PAYMENT_STATUSES.map((status) => [status]), PAYMENT_STATUSES.slice(1, 4)];
  return [null, ...PAYMENT_ACTIONS].flatMap((action) =>
    actors.flatMap((actorIds) =>
      statuses.flatMap((named) => times.map((time) => ({ action, actorIds, statuses: named, limit: PAGE, ...time }))),
    ),
  );
}

/** How many ranges of an index a list is put together from: one for each status and action, and each actor named. */
function rangesOf({ action, actorIds, statuses }: Shape): number {
  const actions = action === null ? PAYMENT_ACTIONS.length : 1;
  const kinds = (statuses.length || PAYMENT_STATUSES.length) * actions;
  const actors = actorIds.length || 1;
  return kinds + kinds * actors + actions * actors;
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];
const outputOf = (node: PlanNode): number => node['Actual Rows'] * node['Actual Loops'];
const readBy = (node: PlanNode): number =>
  outputOf(node) + (node['Rows Removed by Filter'] ?? 0) * node['Actual Loops'];
const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
const pagesOf = (plan: PlanNode): number => plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];

function literal(value: unknown): string {
  if (value === null) return 'null';
  return pg.escapeLiteral(Array.isArray(value) ? `{${value.join(',')}}` : String(value));
}

describe('the plans of lists', () => {
  let database: FreshDatabase;
  let pool: Pool;
  let client: PoolClient;

  beforeAll(async () => {
    database = await freshDatabase();
    await migrateSchema(PAYMENTS_SCHEMA, database.url);
    pool = createPool(database.url, { max: 1, name: 'plans' });
    client = await pool.connect();
    for (const { id, payments } of [FEW, MANY]) await seedPayments(client, id, payments);
    await client.query('vacuum analyze payments');
    await client.query('vacuum analyze known_addresses');
  });
  afterAll(async () => {
    client.release();
    await pool.end();
    await database.drop();
  });

  async function planOf(viewerId: string, shape: Shape): Promise<PlanNode> {
    const statement = listStatement({ viewerId, environment: 'live', ...shape });
    const { name, values } = statement;
    await client.query(statement);
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `explain (analyze, buffers, timing off, format json)
       execute ${pg.escapeIdentifier(name)} (${values.map(literal).join(', ')})`,
    );
    if (rows[0] === undefined) throw new Error('There is no plan');
    return rows[0]['QUERY PLAN'][0].Plan;
  }

  it('given any filters, when a page is read, then nothing is read but the ends of its ranges', async () => {
    for (const shape of shapesFor(MANY.id)) {
      const plan = await planOf(MANY.id, shape);
      const scans = nodesOf(plan).filter((node) => node['Relation Name'] === 'payments');
      const mostRows = rangesOf(shape) * (PAGE + 1);
      const sortInputs = nodesOf(plan).flatMap((node) => (/Sort/.test(node['Node Type']) ? (node.Plans ?? []) : []));
      expect({
        shape,
        scans: new Set(scans.map((node) => node['Node Type'])),
        readsTooMany: sum(scans.map(readBy)) > mostRows,
        sortsTooMany: Math.max(...sortInputs.map(outputOf)) > mostRows,
        touchesTooMany: pagesOf(plan) > rangesOf(shape) * DESCENT_PAGES + 2 * mostRows,
      }).toEqual({
        shape,
        scans: new Set(['Index Scan']),
        readsTooMany: false,
        sortsTooMany: false,
        touchesTooMany: false,
      });
    }
  });

  // Shows list-8
  it('given a hundred times as many payments, when the first page is read, then it costs the same', async () => {
    const [few, many] = [shapesFor(FEW.id), shapesFor(MANY.id)];
    for (const [at, shape] of few.entries()) {
      if (shape.afterUs !== null || shape.beforeUs !== null) continue;
      const plan = await planOf(FEW.id, shape);
      const [pages, pagesOfMany] = [pagesOf(plan), pagesOf(await planOf(MANY.id, many[at] ?? shape))];
      expect(pagesOfMany).toBeLessThanOrEqual(1.1 * pages + BORDER_PAGES);
    }
  });
});
