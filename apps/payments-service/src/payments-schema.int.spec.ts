import { runAtRate } from '@settle/testing';
import pg from 'pg';
import { LedgerLab, type LabInstance } from '../test/ledger-lab/ledger-lab.fixture.js';
import { rebuildParts } from '../test/ledger-lab/rebuild-parts.fixture.js';
import { person } from '../test/ledger-lab/people.fixture.js';
import { rebuildReadModels } from './operators/rebuild.js';
import { READ_MODEL_NAMES } from './read-models/registry.js';

const PAYMENTS_PER_SECOND = 20;

describe('the roles of the payments database', () => {
  let lab: LedgerLab;
  let service: pg.Client;
  const [payer, payee] = [person(), person()];

  async function open(options: { hasOneRole?: boolean }): Promise<LabInstance> {
    lab = await LedgerLab.open(options);
    service = new pg.Client(lab.url);
    await service.connect();
    const instance = await lab.instance();
    await lab.know(payer, payee);
    await instance.fund(payer, 1_000_000);
    return instance;
  }
  afterEach(async () => {
    await service.end();
    await lab.close();
  });

  const eventsUpTo = async (position: number) =>
    (await lab.pool.query<object>('select * from events where position <= $1 order by position', [position])).rows;

  async function expectEventsUnchangeable(): Promise<void> {
    for (const statement of [
      `update events set data = '{}'`,
      'delete from events',
      'truncate events',
      'alter table events add column more int',
      'drop table events',
      'create table more (id int)',
    ]) {
      await expect(service.query(statement)).rejects.toThrow(/permission denied|must be owner/);
    }
  }

  it('given the role of the service, when it pays, then that is stored, and no event can be changed or deleted', async () => {
    const instance = await open({});
    const { payment } = await instance.create(payer, payee);
    expect(payment.status).toBe('settled');
    await expectEventsUnchangeable();
    await lab.expectInOrder();
  });

  it('given a database whose tables the service owns, when it is migrated by a role of its own meanwhile, then events stay and payments go on', async () => {
    const instance = await open({ hasOneRole: true });
    await instance.create(payer, payee);
    const { rows } = await lab.pool.query<{ position: string }>('select max(position) as position from events');
    const position = Number(rows[0]?.position);
    const before = await eventsUpTo(position);
    let isOver = false;
    const paying = runAtRate({ perSecond: PAYMENTS_PER_SECOND, isOver: () => isOver }, async () => {
      await instance.create(payer, payee);
    });
    const databaseUrl = await lab.separateRoles();
    const other = await lab.instance();
    await other.create(payer, payee);
    isOver = true;
    expect((await paying).failures).toEqual([]);
    expect(await eventsUpTo(position)).toEqual(before);
    await expectEventsUnchangeable();

    const parts = rebuildParts(lab, instance.store, { databaseUrl });
    const order = { models: READ_MODEL_NAMES, environment: 'live', acceptsDifferences: false } as const;
    expect((await rebuildReadModels(parts, order)).switchedAt).not.toBeNull();
    await other.create(payer, payee);
    await lab.expectInOrder();
  });
});
