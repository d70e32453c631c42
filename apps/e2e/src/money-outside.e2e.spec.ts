import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, freePort } from '@settle/testing';
import { startMailServer, type CaughtMail } from './caught-messages.fixture.js';
import { prepareDedicatedProduct, type DedicatedProduct } from './dedicated-product.js';
import { MoneyPage, amountsOn } from './money-page.fixture.js';
import { runPaymentsCommand, runPaymentsCommandWith } from './payments-command.fixture.js';
import { moveAddressesBack, movePayoutWaitsBack, moveSourceBack } from './payout-waits.fixture.js';
import {
  PAGES_ORIGIN,
  authorizeOwnApp,
  createOwnApp,
  PRODUCTION_KEY,
  productionSettings,
  signUpInProduction,
} from './production.fixture.js';
import { ProviderUnderTest } from './provider-under-test.fixture.js';
import { formTargets } from './sign-in.js';
import type { SignedUpUser } from './sign-up.js';

/** Is approved, and paid out to. */
const CARD = '4242 4242 4242 4242';
/** Is paid out to, and the money comes back. */
const RETURNING_CARD = '4000 0000 0000 7056';
const BANK_TRANSFER = ['--user', 'ana', '--amount', '200.00', '--reference', 'RF-2049', '--reason', 'a bank transfer'];

describe('money from and to the outside, in production', () => {
  const provider = new ProviderUnderTest(PAGES_ORIGIN);
  let mail: CaughtMail;
  let product: DedicatedProduct;
  let folder: string;
  let ana: SignedUpUser;
  let ben: SignedUpUser;
  let money: MoneyPage;

  beforeAll(async () => {
    const port = await freePort();
    await provider.start(`http://127.0.0.1:${port}`);
    mail = await startMailServer();
    folder = await mkdtemp(join(tmpdir(), 'settle-statement-'));
    product = prepareDedicatedProduct(productionSettings(mail, provider), port);
    await product.start();
  }, 180_000);
  afterAll(async () => {
    await product.close();
    await mail.close();
    await provider.close();
    await rm(folder, { recursive: true, force: true });
  }, 60_000);

  const balances = () => Promise.all([ana, ben].map((user) => user.balanceCents()));

  it('given an empty production, when two users sign up, then an app of one pays nothing without money', async () => {
    const [payer, payee] = [await signUpInProduction('ana', mail), await signUpInProduction('ben', mail)];
    await createOwnApp('ana');
    [ana, ben] = [await authorizeOwnApp(payer), await authorizeOwnApp(payee)];
    money = new MoneyPage(ana, provider);
    expect(await balances()).toEqual([0, 0]);
    await eventually(async () => {
      const { status, body } = await ana.send({ user_id: ben.id }, '20');
      expect([status, body.data.payment.status]).toEqual([200, 'failed']);
    });
  });

  it("given the provider's page, when a card is entered there, then the user comes back with a source", async () => {
    const page = await money.open();
    expect(page.html).toContain('Test money.');
    expect(formTargets(page)).toContain(PAGES_ORIGIN);
    const back = await money.addCard(CARD);
    expect([back.status, back.url.search]).toEqual([200, '?done=source-added']);
    expect(back.html).toContain('Visa ending in 4242');
    await eventually(() => expect(mail.read(ana.email).join('\n')).toContain('card or bank account'));
  });

  it('given the source, when 50.00 are added, then they are balance, which cannot be withdrawn yet', async () => {
    const page = await money.addMoney('50.00', '4242');
    expect([page.status, page.url.search]).toEqual([200, '?done=deposit-settled']);
    expect(amountsOn(page)).toEqual(['$50.00', '$0.00']);
    expect(await balances()).toEqual([50_00, 0]);
  });

  it('given a balance of 50.00, when 20.00 and 100.00 are paid, then one comes from the balance and one from the source', async () => {
    for (const [amount, expected] of [
      ['20.00', [30_00, 20_00]],
      ['100.00', [30_00, 120_00]],
    ] as const) {
      const { body } = await ana.send({ user_id: ben.id }, amount);
      await eventually(async () => expect((await ana.read(body.data.payment.id)).body.data.status).toBe('settled'));
      await eventually(async () => expect(await balances()).toEqual(expected));
    }
    expect((await money.open()).html).toContain('Payment from your card or account');
  });

  it('given a bank transfer, when an operator books it twice, then it is balance once', async () => {
    expect(await runPaymentsCommand('funding', 'deposit', ...BANK_TRANSFER)).toContain('Nothing was stored');
    expect(await runPaymentsCommand('funding', 'deposit', ...BANK_TRANSFER, '--confirm')).toMatch(/: settled$/m);
    expect(await runPaymentsCommand('funding', 'deposit', ...BANK_TRANSFER, '--confirm')).toContain('booked already');
    await eventually(async () => expect(await balances()).toEqual([230_00, 120_00]));
    // Both charges of the source are held, of which 120.00 were paid.
    expect(amountsOn(await money.open())).toEqual(['$230.00', '$80.00']);
  });

  it('given a new e-mail address and a new source, when 30.00 are withdrawn, then it is refused for a day', async () => {
    expect((await money.withdraw('30.00')).html).toContain('You have changed your password or e-mail address.');
    await moveAddressesBack(ana.id);
    expect((await money.withdraw('30.00')).html).toContain('only since recently.');
    await moveSourceBack(ana.id);
  });

  it('given 80.00 that can be withdrawn, when 80.01 and 30.00 are withdrawn, then only the latter is paid out', async () => {
    expect((await money.withdraw('80.01')).html).toContain('You can withdraw $80.00 now.');
    const page = await money.withdraw('30.00');
    expect([page.status, page.url.search]).toEqual([200, '?done=withdrawal-settled']);
    await eventually(async () => expect(amountsOn(await money.open())).toEqual(['$200.00', '$50.00']));
    expect(await balances()).toEqual([200_00, 120_00]);
    await eventually(() => expect(mail.read(ana.email).join('\n')).toContain('withdraw'));
  });

  it("given all this, when the provider's statement is compared, then it agrees with the ledger, which is in order", async () => {
    const statement = await provider.statement(Date.now() - 3_600_000, Date.now());
    const [head = '', ...rows] = statement
      .trim()
      .split('\n')
      .map((line) => line.split(','));
    expect(head.slice(-2)).toEqual(['0', '12000']);
    expect(rows.map(([, , kind, cents]) => [kind, cents])).toEqual([
      ['charge', '5000'],
      ['charge', '10000'],
      ['payout', '3000'],
    ]);
    const file = join(folder, 'statement.csv');
    await writeFile(file, statement);
    expect(await runPaymentsCommand('funding', 'reconcile', file)).toMatch(/^Both sides agree$/m);
    const tampered = join(folder, 'tampered.csv');
    await writeFile(tampered, statement.replace(',charge,10000,', ',charge,9999,'));
    await expect(runPaymentsCommand('funding', 'reconcile', tampered)).rejects.toThrow(/other amount/);
    expect(await runPaymentsCommand('funding', 'pending')).toMatch(/^Nothing waits$/m);
    expect(await runPaymentsCommandWith(PRODUCTION_KEY, 'ledger', 'verify')).toMatch(/^funding: in order$/m);
    expect(await balances()).toEqual([200_00, 120_00]);
  });

  // Shows friend-36
  it('given a card that returns payouts, when 5.00 are withdrawn to it, then they are balance again and an e-mail says so', async () => {
    const ofBen = new MoneyPage(ben, provider);
    await ofBen.addCard(RETURNING_CARD);
    await movePayoutWaitsBack(ben.id);
    expect((await ofBen.withdraw('5.00')).url.search).toMatch(/^\?done=withdrawal-/);
    await eventually(() => expect(mail.read(ben.email).join('\n')).toContain('in your balance at Settle again'));
    expect(await balances()).toEqual([200_00, 120_00]);
  });
});
