import type { UserRecord } from '@settle/contracts';
import { repayOrphan } from '../../src/operators/funding/repay-orphan.js';
import { ChangesLab } from '../funding/changes-lab.fixture.js';
import type { LabInstance } from '../ledger-lab/ledger-lab.fixture.js';
import { createCommand } from '../ledger-lab/people.fixture.js';
import { OperatorDesk } from './operator.fixture.js';

const decision = { operator: 'jo', reason: 'restored a backup', reference: '' };

describe('charges of the provider that the log does not know', () => {
  let lab: ChangesLab;
  let instance: LabInstance;
  let desk: OperatorDesk;
  let payer: UserRecord;
  let payee: UserRecord;

  beforeEach(async () => {
    lab = await ChangesLab.open();
    instance = await lab.funding.instance();
    desk = new OperatorDesk(lab.funding, instance);
    ({ payer, payee } = await lab.funding.people());
  });
  afterEach(() => lab.close());

  /** The provider has a charge that only its list of changes names. */
  async function orphan(key: string, state = 'approved'): Promise<string> {
    lab.books.add('charge', key, { state, amountCents: 500 });
    await lab.read(instance);
    expect(await lab.contradictions()).toMatchObject({ [key]: 'unknown_key' });
    return key;
  }

  const orphanOfPayment = (paymentId = '77') => orphan(`${paymentId}:${payer.card.id}:1`);

  /** Returns what the command printed, or its error. */
  async function repay(
    key: string,
    { isConfirmed = true, user = null as string | null, repayment = lab.books.repay.bind(lab.books) } = {},
  ): Promise<string> {
    const lines: string[] = [];
    const provider = {
      read: lab.books.read.bind(lab.books),
      charge: lab.books.charge.bind(lab.books),
      repay: repayment,
    };
    const open = () => ({ provider, close: () => Promise.resolve() });
    const place = desk.place((line) => lines.push(line));
    try {
      await repayOrphan(place, { type: 'repay', key, user, decision, isConfirmed }, open);
    } catch (error) {
      lines.push((error as Error).message);
    }
    await lab.funding.lab.caughtUp();
    return lines.join('\n');
  }

  async function eventsOf(key: string): Promise<{ type: string; data: Record<string, unknown> }[]> {
    const { rows } = await lab.funding.lab.pool.query<{ type: string; data: string }>(
      'select type, data::text as data from events where stream = $1 order by revision',
      [`contradiction-${key}`],
    );
    return rows.map(({ type, data }) => ({ type, data: JSON.parse(data) as Record<string, unknown> }));
  }

  describe('that an operator gives back', () => {
    it('given a dry run, when an orphan is repaid, then the command says what it would do and nothing is stored or asked', async () => {
      const key = await orphanOfPayment();
      expect((await desk.run('pending')).said).toContain(`contradiction unknown_key  ${key}`);
      expect(await repay(key, { isConfirmed: false })).toMatch(
        new RegExp(`^charge ${key} of \\$5\\.00 by the user ${payer.card.id}, .*\nNothing was stored`),
      );
      expect([await eventsOf(key), lab.books.repayments.size]).toEqual([[expect.anything()], 0]);
    });

    it('given an orphan, when it is repaid twice, then the money goes back once, and no change is an orphan again', async () => {
      const key = await orphanOfPayment();
      expect(await repay(key)).toMatch(
        new RegExp(`charge ${key}: \\$5\\.00 is given back by the repayment ${key}:late$`),
      );
      expect(await repay(key)).toBe(`charge ${key}: $5.00 is given back by the repayment ${key}:late`);
      expect([...lab.books.repayments]).toEqual([[`${key}:late`, expect.objectContaining({ state: 'paid' })]]);
      expect(await eventsOf(key)).toEqual([
        { type: 'ContradictionFound', data: expect.anything() },
        { type: 'OrphanRepaymentRequested', data: expect.objectContaining({ key: `${key}:late`, decision }) },
        { type: 'OrphanRepaymentAnswered', data: expect.objectContaining({ answer: 'accepted' }) },
        { type: 'ContradictionClosed', data: expect.objectContaining({ decision }) },
      ]);
      lab.books.set('charge', key, 'approved');
      await lab.rewind();
      await lab.read(instance);
      expect(await lab.contradictions()).toEqual({});
      await lab.funding.expectInOrder();
    });

    it('given an orphan that was given back, when its repayment is returned, then operators see it', async () => {
      const key = await orphanOfPayment();
      await repay(key);
      lab.books.set('repayment', `${key}:late`, 'returned');
      await lab.read(instance);
      expect(await lab.contradictions()).toEqual({ [`${key}:late`]: 'answered_otherwise' });
    });

    it.each([
      ['never gets the request', false],
      ['does not answer', true],
    ])(
      'given a provider that %s, when the command is repeated, then the same repayment continues',
      async (_, isSent) => {
        const key = await orphanOfPayment();
        const repayment: typeof lab.books.repay = async (call) => {
          if (isSent) await lab.books.repay(call);
          return 'unknown';
        };
        expect(await repay(key, { repayment })).toMatch(/:late is requested and has no answer yet/);
        await lab.rewind();
        await lab.read(instance);
        expect(await lab.contradictions()).toEqual({ [key]: 'unknown_key' });
        expect(await repay(key)).toMatch(/given back by the repayment .*:late$/);
        expect([lab.books.repayments.size, await lab.contradictions()]).toEqual([1, {}]);
        await lab.funding.expectInOrder();
      },
    );

    it('given a repayment that never began, when the command is repeated, then the next key is asked for', async () => {
      const key = await orphanOfPayment();
      await repay(key, { repayment: () => Promise.resolve('unknown') });
      lab.funding.aheadMs += 61_000;
      expect(await repay(key)).toMatch(/given back by the repayment .*:late:2$/);
      expect([...lab.books.repayments.keys()]).toEqual([`${key}:late:2`]);
      await lab.read(instance);
      expect(await lab.contradictions()).toEqual({});
    });

    it('given a provider that refuses, when an orphan is repaid, then it stays listed and no other repayment is tried', async () => {
      const key = await orphanOfPayment();
      lab.books.nextRepayment = 'failed';
      for (let run = 1; run <= 2; run += 1) expect(await repay(key)).toMatch(/The provider refuses the repayment/);
      expect([lab.books.repayments.size, await lab.contradictions()]).toEqual([1, { [key]: 'unknown_key' }]);
    });

    it('given two operators at once, when they repay the same orphan, then the money goes back once', async () => {
      const key = await orphanOfPayment();
      await Promise.all([repay(key), repay(key)]);
      expect(await repay(key)).toMatch(/given back by the repayment .*:late$/);
      expect(lab.books.repayments.size).toBe(1);
    });

    it('given the orphan of a deposit, when it is repaid, then the operator names the user', async () => {
      const key = await orphan('0b9e-deposit');
      expect(await repay(key)).toMatch(/^--user: it is needed here/);
      expect(await repay(key, { user: payer.card.username })).toMatch(/given back by the repayment 0b9e-deposit:late$/);
    });

    it('given what brought no money, or is no orphan, when it is repaid, then one line says why nothing is done', async () => {
      const declined = await orphan(`78:${payer.card.id}:1`, 'declined');
      expect(await repay(declined)).toMatch(/is declined at the provider: it has brought no money/);
      expect(await repay('no-such-key')).toMatch(/^There is no orphan under the key no-such-key/);
      const { payment } = await instance.create(payer, payee);
      const known = `${payment.id}:${payer.card.id}:1`;
      lab.books.set('charge', known, 'declined');
      await lab.read(instance);
      expect(await repay(known)).toMatch(/^There is no orphan under the key/);
      expect(lab.books.repayments.size).toBe(0);
      expect((await desk.run('orphan', 'repay', declined, '--reason', 'x')).error).toMatch(/^FUNDING_PROVIDER_URL: /);
    });
  });

  describe('when its payment charges again', () => {
    it.each([
      ['is listed', false],
      ['was given back', true],
    ])('given an orphan that %s, when the payer approves, then the charge has the next key', async (_, isRepaid) => {
      const { payment } = await instance.create(payee, payer, { action: 'charge' });
      const key = await orphanOfPayment(payment.id);
      if (isRepaid) await repay(key);
      expect((await instance.act(payer, 'approve', payment.id)).status).toBe('settled');
      expect([...lab.books.charges.keys()]).toEqual([key, `${payment.id}:${payer.card.id}:2`]);
      if (!isRepaid) expect(await repay(key)).toMatch(/given back/);
      await lab.read(instance);
      expect([await lab.contradictions(), await lab.balance(instance, payee)]).toEqual([{}, 100]);
      await lab.funding.expectInOrder();
    });

    it.each([
      ['approved', 'settled'],
      ['declined', 'failed'],
    ] as const)(
      'given the orphan of a lost payment, when its command is repeated and %s, then it is %s by the next key',
      async (state, status) => {
        const command = createCommand(payer, payee);
        const key = await orphanOfPayment(command.paymentId);
        lab.books.nextCharge = state;
        const { payment } = await instance.commands.create(command);
        expect([payment.id, payment.status]).toEqual([command.paymentId, status]);
        expect([...lab.books.charges.keys()]).toEqual([key, `${payment.id}:${payer.card.id}:2`]);
        expect(await repay(key)).toMatch(/given back/);
        await lab.funding.expectInOrder();
      },
    );

    it('given orphans with a gap before them, when the payer approves, then the charge is above them all', async () => {
      const { payment } = await instance.create(payee, payer, { action: 'charge' });
      await orphan(`${payment.id}:${payer.card.id}:3`);
      await orphan(`${payment.id}:${payer.card.id}:7`);
      await instance.act(payer, 'approve', payment.id);
      expect([...lab.books.charges.keys()].at(-1)).toBe(`${payment.id}:${payer.card.id}:8`);
    });
  });
});
