import type { UserRecord } from '@settle/contracts';
import { eventually } from '@settle/testing';
import { ChangesLab } from '../../test/funding/changes-lab.fixture.js';
import type { LabInstance } from '../../test/ledger-lab/ledger-lab.fixture.js';
import { READ_MODEL_NAMES, tablesOf } from '../read-models/registry.js';

const TABLES = [...tablesOf(READ_MODEL_NAMES).map(({ name }) => name), 'checkpoints', 'checkpoint_positions'];

describe('a projector whose database crashes', () => {
  let lab: ChangesLab;
  let instance: LabInstance;
  let payer: UserRecord;
  let payee: UserRecord;

  beforeEach(async () => {
    lab = await ChangesLab.open();
    instance = await lab.funding.instance();
    ({ payer, payee } = await lab.funding.people());
  });
  afterEach(async () => {
    await lab.funding.expectInOrder();
    await lab.close();
  });

  /** Keeps the state of the read models. */
  async function save(): Promise<void> {
    await lab.funding.lab.caughtUp();
    for (const name of TABLES) await lab.funding.lab.pool.query(`create table saved_${name} as table ${name}`);
  }

  /** Undoes the transactions since `save` and ends the connections, as a crash does. */
  async function loseLastTransactions(): Promise<void> {
    await lab.funding.lab.caughtUp();
    const back = TABLES.map((name) => `delete from ${name}; insert into ${name} table saved_${name}`).join('; ');
    await lab.funding.lab.pool.query(`
      begin; ${back}; commit;
      select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
        and (pid, backend_start) in (select backend_pid, backend_start from checkpoints)`);
  }

  it('given a payment of whose charge nothing is known, when its end is lost from the read models, then it is projected again', async () => {
    lab.books.nextCharge = 'pending';
    const { payment } = await instance.create(payer, payee);
    await save();
    lab.books.isAway = true;
    await instance.act(payer, 'cancel', payment.id);
    await loseLastTransactions();
    await eventually(async () => expect(await lab.statusOf(instance, payer, payment)).toBe('cancelled'));
    lab.books.isAway = false;
    await lab.funding.later(instance, 400_000);
  });
});
