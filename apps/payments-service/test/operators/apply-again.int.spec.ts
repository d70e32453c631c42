import { LIMITS } from '@settle/config';
import type { UserRecord } from '@settle/contracts';
import { eventually } from '@settle/testing';
import { askProviderSoon } from '../../src/operators/funding/make-due.js';
import { readFundingOrder, type ProviderOrder } from '../../src/operators/funding/funding-arguments.js';
import { ProviderHints } from '../../src/provider/provider-hints.js';
import { Clock } from '../../src/storage/clock.js';
import { ChangesLab } from '../funding/changes-lab.fixture.js';
import type { LabInstance } from '../ledger-lab/ledger-lab.fixture.js';
import { NO_HOLD } from '../ledger-lab/open-charges.fixture.js';
import { OperatorDesk } from './operator.fixture.js';

const ID = 'w-1';

describe('a change of the provider that was given up', () => {
  let lab: ChangesLab;
  let instance: LabInstance;
  let desk: OperatorDesk;
  let owner: UserRecord;
  /** The provider answers nothing about payouts. */
  let isBroken: boolean;

  beforeEach(async () => {
    lab = await ChangesLab.open();
    instance = await lab.funding.instance({ env: NO_HOLD });
    desk = new OperatorDesk(lab.funding, instance);
    owner = (await lab.funding.people()).payer;
    isBroken = false;
    const { read } = lab.books;
    lab.books.read = (kind, key) =>
      isBroken && kind === 'payout' ? Promise.resolve('unknown' as never) : read.call(lab.books, kind, key);
    await givenReturnNotApplied();
  });
  afterEach(() => lab.close());

  /** A payout came back while the provider could not read it. */
  async function givenReturnNotApplied(): Promise<void> {
    await lab.deposit(instance, owner, 'd-1');
    await lab.withdraw(instance, owner, ID);
    await lab.read(instance);
    lab.books.set('payout', ID, 'returned');
    isBroken = true;
    for (let attempt = 1; attempt < LIMITS.provider.changeTries; attempt += 1) {
      await expect(lab.read(instance)).rejects.toThrow(ID);
    }
    await lab.read(instance);
    expect([await lab.contradictions(), await lab.balance(instance, owner)]).toEqual([{ [ID]: 'not_applied' }, 0]);
  }

  /** Returns what the command printed, or its error. */
  async function ask(...more: readonly string[]): Promise<string> {
    const lines: string[] = [];
    const { read, charge, repay } = lab.books;
    const provider = { read, charge: charge.bind(lab.books), repay: repay.bind(lab.books) };
    const open = () => ({ provider, close: () => Promise.resolve() });
    const order = readFundingOrder(['ask', ID, ...more]) as ProviderOrder;
    await askProviderSoon(
      desk.place((line) => lines.push(line)),
      order,
      open,
    ).catch((error: Error) => lines.push(error.message));
    return lines.join('\n');
  }

  const openHints = async () =>
    (await lab.funding.lab.pool.query('select from provider_hints where handled_at is null')).rowCount;

  it('given a provider that answers again, when it is asked for, then the money is back, and the operator may close it', async () => {
    isBroken = false;
    const asking = ask('--confirm');
    await eventually(async () => expect(await openHints()).toBe(1));
    await lab.readers(instance).hints.readBatch();
    expect(await asking).toBe(
      `payout ${ID}: apply the provider's version 2 again\n${ID}: applied. Write "npm run funding -- contradiction close ${ID}"`,
    );
    expect(await lab.balance(instance, owner)).toBe(500);
    await desk.run('contradiction', 'close', ID, '--reason', 'applied', '--operator', 'jo', '--confirm');
    expect(await lab.contradictions()).toEqual({});
    await lab.funding.expectInOrder();
  });

  it('given a callback of the same version that was given up, when it is asked for, then it is tried again', async () => {
    const { hints } = lab.readers(instance);
    const change = { kind: 'payout', key: ID, version: 2, changed_at: '2027-01-15T08:00:00Z' } as const;
    await new ProviderHints(lab.funding.lab.pool, new Clock()).store('callback', change);
    for (let attempt = 1; attempt <= LIMITS.provider.changeTries; attempt += 1) await hints.readBatch();
    expect(await openHints()).toBe(0);
    isBroken = false;
    const asking = ask('--confirm');
    await eventually(async () => expect(await openHints()).toBe(1));
    await hints.readBatch();
    expect(await asking).toContain(': applied. Write');
    expect(await lab.balance(instance, owner)).toBe(500);
  });

  it('given a provider that fails again, when it is asked for, then the command says that it could not be applied', async () => {
    isBroken = false;
    const asking = ask('--confirm');
    await eventually(async () => expect(await openHints()).toBe(1));
    isBroken = true;
    const { hints } = lab.readers(instance);
    for (let attempt = 1; attempt <= LIMITS.provider.changeTries; attempt += 1) await hints.readBatch();
    expect(await asking).toMatch(/could not be applied, for a reason that the log of payments-service names$/);
    expect(await lab.contradictions()).toEqual({ [ID]: 'not_applied' });
  });

  it('given an object that contradicts the ledger by now, when it is asked for, then the command says so', async () => {
    isBroken = false;
    lab.books.set('payout', ID, 'returned', 499);
    const asking = ask('--confirm');
    await eventually(async () => expect(await openHints()).toBe(1));
    await lab.readers(instance).hints.readBatch();
    expect(await asking).toContain(`${ID}: it contradicts the ledger (other_amount), so nothing was moved`);
    expect(await lab.contradictions()).toEqual({ [ID]: 'other_amount' });
  });

  it('given a dry run, when it is asked for, then the command says what it would do and nothing is stored', async () => {
    isBroken = false;
    expect(await ask()).toMatch(/^payout w-1: apply the provider's version 2 again\nNothing was stored/);
    expect(await openHints()).toBe(0);
  });

  it('given a provider that still does not answer for it, when it is asked for, then one line says so', async () => {
    expect(await ask('--confirm')).toMatch(/^The provider gives no readable answer about w-1 \(payout\): [^\n]*$/);
    expect(await openHints()).toBe(0);
  });

  it('given an object that the provider no longer has, when it is asked for, then one line says so', async () => {
    isBroken = false;
    lab.books.payouts.delete(ID);
    expect(await ask('--confirm')).toMatch(/^The provider has nothing under the key w-1: [^\n]*$/);
  });
});
