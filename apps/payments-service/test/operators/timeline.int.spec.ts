import type { UserRecord } from '@settle/contracts';
import { readTimeline } from '../../src/operators/timeline/payment-timeline.js';
import { LedgerLab, type LabInstance } from '../ledger-lab/ledger-lab.fixture.js';
import { anEmail, person } from '../ledger-lab/people.fixture.js';
import { runCommandProcess } from './command-process.fixture.js';

const TIME = String.raw`^\d{4}-\d\d-\d\dT[\d:.]+Z  `;

describe('the timeline of a payment', () => {
  let lab: LedgerLab;
  let instance: LabInstance;
  let alice: UserRecord;
  let bob: UserRecord;

  beforeEach(async () => {
    lab = await LedgerLab.open();
    instance = await lab.instance({ env: { FEE_FIXED_CENTS: '5' } });
    [alice, bob] = [person(), person()];
    await lab.know(alice, bob);
    await instance.fund(alice, 10_000);
  });
  afterEach(() => lab.close());

  const timelineOf = (paymentId: string) =>
    readTimeline({ store: instance.store, pool: lab.pool, usersPool: lab.pool }, paymentId);

  it('given a payment to a user, when its timeline is read, then each event is a line with exact amounts', async () => {
    const { payment } = await instance.create(alice, bob, { amountCents: 1_230, note: 'for the pizza' });
    await lab.caughtUp();
    const [payer, payee] = [alice, bob].map(({ card }) => `${card.username} \\(${card.id}\\)`);
    expect(await timelineOf(payment.id)).toEqual([
      `payment ${payment.id}: settled`,
      expect.stringMatching(
        `${TIME}created through the app [^:]*: ${payer} pays ${payee} \\$12\\.30, with a fee of \\$0\\.05$`,
      ),
      expect.stringMatching(`${TIME}${payer}: \\$12\\.30 and a fee of \\$0\\.05 debited; balance \\$87\\.65$`),
      expect.stringMatching(`${TIME}settled: the money goes to its payee; the final target is ${payee}$`),
      expect.stringMatching(`${TIME}${payee}: \\$12\\.30 credited; balance \\$12\\.30$`),
    ]);
    expect(await timelineOf('1')).toBeNull();
  });

  it('given a held payment that its payer cancelled, when its timeline is read, then the return and the refund are named', async () => {
    const { payment } = await instance.create(alice, anEmail(), { amountCents: 500 });
    await instance.act(alice, 'cancel', payment.id);
    await lab.caughtUp();
    const text = (await timelineOf(payment.id))?.join('\n');
    expect(text).toContain('the money is held until a user verifies the address');
    const [, refundId = ''] =
      /cancelled: the user who created it cancelled it; payment (\d+) is its refund/.exec(text ?? '') ?? [];
    expect(text).toContain('$5.00 and a fee of $0.05 returned, because the payment was not settled; balance $100.00');
    expect((await timelineOf(refundId))?.join('\n')).toContain(`refund of the held payment ${payment.id}: $5.00`);
  });

  it('given the command as a process, when it finds a payment or none, then it names the parties, or ends with 1', async () => {
    const { payment } = await instance.create(alice, bob, { amountCents: 5 });
    await lab.caughtUp();
    const found = await run('find', payment.id);
    expect(found).toMatchObject({ code: 0, stderr: '' });
    expect(found.stdout).toContain(
      `\n  ${alice.card.username} (${alice.card.id})\n  ${bob.card.username} (${bob.card.id})\n`,
    );
    expect((await run('timeline', payment.id)).stdout).toContain('pays');
    // A user's id is no payment's, and the sandbox does not have the live payment.
    for (const args of [[alice.card.id], [payment.id, '--sandbox']]) {
      const stderr = `There is no payment ${args[0]}\n`;
      expect(await run('timeline', ...args)).toEqual({ code: 1, stdout: '', stderr });
    }
    expect(await run('timeline', 'x')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('"x" is no id') as string,
    });
    expect(await run('erase', '1')).toMatchObject({ code: 2, stderr: expect.stringContaining('Usage:') as string });
  });

  const run = (...args: readonly string[]) => runCommandProcess('admin-command.js', args, { DATABASE_URL: lab.url });
});
