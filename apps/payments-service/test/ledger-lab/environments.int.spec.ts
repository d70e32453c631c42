import {
  SANDBOX_TEST_USER,
  type Environment,
  type PaymentTarget,
  type RequestAction,
  type UserRecord,
} from '@settle/contracts';
import fc from 'fast-check';
import { READ_MODEL_NAMES, tablesOf } from '../../src/read-models/registry.js';
import { rebuildReadModels } from '../../src/operators/rebuild.js';
import { actCommand, anEmail, createCommand, pair, person, proves } from './people.fixture.js';
import { LedgerLab, type LabInstance } from './ledger-lab.fixture.js';
import { rebuildParts } from './rebuild-parts.fixture.js';
import { expectSandboxInOrder, sandboxShown } from './sandbox.fixture.js';

const ENVIRONMENTS: readonly Environment[] = ['live', 'sandbox'];
const OTHER = { live: 'sandbox', sandbox: 'live' } as const;
const SCHEMAS = { live: 'public', sandbox: 'sandbox' } as const;

/** All that an environment keeps of money, to be compared with itself later. */
const STATE = (schema: string) => `
  select (select count(*) from ${schema}.payments) as payments, (select sum(revision) from ${schema}.payments) as changes,
    (select count(*) from ${schema}.ledger_entries) as lines, (select count(*) from ${schema}.fee_entries) as fees,
    (select jsonb_agg(w order by w) from (
      select distinct on (wallet_id) wallet_id, balance_cents from ${schema}.ledger_entries
      order by wallet_id, revision desc) w) as balances,
    (select count(*) from events where stream like $1) as payment_events,
    (select count(*) from events where stream like $2) as wallet_events`;
const PREFIXES = { live: '', sandbox: 'sandbox-' } as const;

interface Step {
  readonly environment: Environment;
  readonly actor: number;
  readonly target: number;
  readonly kind: 'pay' | 'charge' | 'hold' | 'test user' | 'answer' | 'claims' | 'expiry';
  readonly cents: number;
  readonly answer: RequestAction;
}

const steps = fc.array(
  fc.record<Step>({
    environment: fc.constantFrom(...ENVIRONMENTS),
    actor: fc.nat(2),
    target: fc.nat(2),
    kind: fc.constantFrom('pay', 'charge', 'hold', 'test user', 'answer', 'answer', 'claims', 'expiry'),
    cents: fc.constantFrom(1, 10, 20, 30, 250, 900, 1_500),
    answer: fc.constantFrom('approve', 'deny', 'cancel'),
  }),
  { minLength: 8, maxLength: 16 },
);

function targetOf({ kind }: Step, target: UserRecord): PaymentTarget | UserRecord {
  if (kind === 'hold') return anEmail();
  return kind === 'test user' ? { type: 'user', value: SANDBOX_TEST_USER.id } : target;
}

describe('real and sandbox payments mixed', () => {
  let lab: LedgerLab;
  let instance: LabInstance;
  let aheadMs = 0;
  const made: Record<Environment, string[]> = { live: [], sandbox: [] };

  beforeAll(async () => {
    lab = await LedgerLab.open();
    instance = await lab.instance({
      env: { FEE_BPS: '50' },
      nowMs: () => Date.now() + aheadMs,
      hasSandbox: true,
    });
  });
  afterAll(() => lab.close());

  async function stateOf(environment: Environment): Promise<unknown> {
    await lab.caughtUp();
    await sandboxShown(instance, lab);
    const values = ['payment-%', 'wallet-%'].map((name) => PREFIXES[environment] + name);
    return (await lab.pool.query(STATE(SCHEMAS[environment]), values)).rows[0];
  }

  async function take(step: Step, crowd: readonly UserRecord[]): Promise<void> {
    const { environment, kind, cents: amountCents } = step;
    const [actor, target] = [crowd[step.actor], crowd[step.target]];
    if (actor === undefined || target === undefined) throw new RangeError();
    const { worker } = instance.ledgers[environment];
    if (kind === 'claims') {
      await worker.claim(null);
      return;
    }
    if (kind === 'expiry') {
      aheadMs += 31 * 86_400_000;
      await worker.runDueWork();
      return;
    }
    if (kind === 'answer') {
      const id = made[environment].at(-1 - (amountCents % 3));
      if (id !== undefined) await instance.commands.act({ ...actCommand(actor, step.answer, id), environment });
      return;
    }
    const to = targetOf(step, target);
    const action = kind === 'charge' || (kind === 'test user' && step.target === 0) ? 'charge' : 'pay';
    const { payment } = await instance.commands.create(createCommand(actor, to, { action, amountCents, environment }));
    made[environment].push(payment.id);
    if (to !== target && 'value' in to && to.type === 'email') await lab.know(proves(target, to));
  }

  // Shows sandbox-24
  it('given any mixture, when one environment works, then nothing of the other moves, and both add up', async () => {
    const both = fc.asyncProperty(steps, async (walk) => {
      const crowd = [person(), person(), person()];
      const [one, other] = crowd;
      if (one === undefined || other === undefined) throw new RangeError();
      await lab.know(...crowd, pair(other, one, { trusts: true }));
      for (const who of crowd) await instance.fund(who, 1_000);
      for (const step of walk) {
        const untouched = OTHER[step.environment];
        const before = await stateOf(untouched);
        await take(step, crowd).catch((error: unknown) => expect(error).toHaveProperty('code'));
        expect(await stateOf(untouched)).toEqual(before);
      }
    });
    await fc.assert(both, { numRuns: 8, endOnFailure: true });
    expect(made.live.length * made.sandbox.length).toBeGreaterThan(0);
    await lab.expectInOrder();
    await expectSandboxInOrder(instance, lab);
  }, 120_000);

  it('given the read models of the sandbox, when they are rebuilt, then they are as before and the real ones stay', async () => {
    const tables = () => lab.pool.query(`select oid from pg_class where relname = 'payments' order by relnamespace`);
    const before = (await tables()).rows;
    const order = { models: READ_MODEL_NAMES, environment: 'sandbox', acceptsDifferences: false } as const;
    const { comparisons, switchedAt } = await rebuildReadModels(
      rebuildParts(lab, instance.store, { clock: instance.ledger.clock }),
      order,
    );
    expect(comparisons.map(({ first }) => first)).toEqual(tablesOf(READ_MODEL_NAMES).map(() => null));
    expect(comparisons[0]?.live.rows).toBe((await lab.pool.query('select from sandbox.payments')).rowCount);
    expect(switchedAt).toBeGreaterThan(0);
    const after = (await tables()).rows;
    expect(after.filter((row, index) => row.oid !== before[index].oid)).toHaveLength(1);
    const [actor] = [person()];
    await lab.know(actor);
    const testUser = { type: 'user', value: SANDBOX_TEST_USER.id } as const;
    await instance.commands.create(createCommand(actor, testUser, { amountCents: 10, environment: 'sandbox' }));
    await expectSandboxInOrder(instance, lab);
  });

  it('given the tables of both, when their shapes are compared, then they are twins', async () => {
    const shapeOf = async (schema: string) => {
      const { rows } = await lab.pool.query<{ line: string }>(
        `select format('%s.%s %s %s', table_name, column_name, data_type, is_nullable) as line
         from information_schema.columns where table_schema = $1
         union all
         select format('%s index %s', tablename, replace(indexdef, format(' ON %I.', $1::text), ' ON ')) from pg_indexes
         where schemaname = $1
         union all
         select format('%s check %s', c.relname, pg_get_constraintdef(k.oid)) from pg_constraint k
         join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
         where n.nspname = $1 and k.contype = 'c'
         union all
         select format('%s with %s', relname, reloptions) from pg_class c join pg_namespace n on n.oid = c.relnamespace
         where n.nspname = $1 and reloptions is not null and relkind = 'r'
         order by 1`,
        [schema],
      );
      return rows.map(({ line }) => line);
    };
    const only =
      /^(?:data_keys|database_mode|due_user_statuses|erased_addresses|events|known_pairs|migrations|people_copy|funding_fingerprints|funding_pages|funding_sources|provider_changes|provider_hints|provider_mode|public_event_epoch|text_encryption|known_users|known_addresses)\b/;
    const [real, apart] = [await shapeOf('public'), await shapeOf('sandbox')];
    expect(apart.filter((line) => !only.test(line))).toEqual(real.filter((line) => !only.test(line)));
    const columns = (lines: readonly string[]) =>
      lines.filter((line) => /^known_(?:users|addresses)\./.test(line)).map((line) => line.replace(/ \w+$/, ''));
    expect(columns(apart)).toEqual(columns(real));
  });
});
