import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, freePort } from '@settle/testing';
import { startMailServer, type CaughtMail } from './caught-messages.fixture.js';
import { prepareDedicatedProduct, type DedicatedProduct } from './dedicated-product.js';
import { MoneyPage } from './money-page.fixture.js';
import { movePayoutWaitsBack } from './payout-waits.fixture.js';
import { runPaymentsCommand, runPaymentsCommandWith } from './payments-command.fixture.js';
import {
  PAGES_ORIGIN,
  authorizeOwnApp,
  createOwnApp,
  PRODUCTION_KEY,
  productionSettings,
  signUpInProduction,
} from './production.fixture.js';
import { ProviderUnderTest } from './provider-under-test.fixture.js';
import type { SignedUpUser } from './sign-up.js';
import { unknownEmail } from './users.js';

/** Payouts to it, and repayments, are paid and come back later. */
const RETURNING_CARD = '4000 0000 0000 7056';

describe('a provider whose answers change later, in production', () => {
  const provider = new ProviderUnderTest(PAGES_ORIGIN);
  let mail: CaughtMail;
  let product: DedicatedProduct;
  let folder: string;
  let user: SignedUpUser;
  let money: MoneyPage;

  beforeAll(async () => {
    const port = await freePort();
    await provider.start(`http://127.0.0.1:${port}`);
    mail = await startMailServer();
    folder = await mkdtemp(join(tmpdir(), 'settle-late-'));
    product = prepareDedicatedProduct(productionSettings(mail, provider), port);
    await product.start();
    const eva = await signUpInProduction('eva', mail);
    await createOwnApp('eva');
    user = await authorizeOwnApp(eva);
    money = new MoneyPage(user, provider);
  }, 180_000);
  afterAll(async () => {
    await product.close();
    await mail.close();
    await provider.close();
    await rm(folder, { recursive: true, force: true });
  }, 60_000);

  it.each([
    {
      event: 'pending, then approved',
      card: '4000003720000278',
      amount: '10.00',
      items: ['Deposit $10.00 Added to your balance.'],
      balanceCents: 10_00,
    },
    {
      event: 'pending, then declined',
      card: '4000000000007007',
      amount: '20.00',
      items: [/^Deposit \$20\.00 Not added\. Your balance is unchanged\./],
      balanceCents: 10_00,
    },
    {
      event: 'processed, without a response',
      card: '4000000000007015',
      amount: '30.00',
      items: ['Deposit $30.00 Added to your balance.'],
      balanceCents: 40_00,
    },
    {
      event: 'disputed and lost',
      card: '4000000000000259',
      amount: '40.00',
      items: [/^Disputed payment \$40\.00/, /^Deposit \$40\.00/],
      balanceCents: 40_00,
    },
    {
      event: 'disputed and won',
      card: '4000000000002685',
      amount: '50.00',
      items: [/^Disputed payment \$50\.00 .*decided for you/, /^Deposit \$50\.00/],
      balanceCents: 90_00,
    },
    {
      event: 'disputed by half',
      card: '4000000000005423',
      amount: '60.00',
      items: [/^Disputed payment \$30\.00/, /^Deposit \$60\.00/],
      balanceCents: 120_00,
    },
  ])(
    'given a deposit that is $event, when the provider says so, then the page and the balance follow',
    async ({ card, amount, items, balanceCents }) => {
      await money.addCard(card);
      const { status } = await money.addMoney(amount, card.slice(-4));
      expect(status).toBe(200);
      await eventually(async () => {
        const newest = (await money.history()).slice(0, items.length);
        for (const [at, item] of items.entries()) expect(newest[at]).toMatch(item);
        expect(await user.balanceCents()).toBe(balanceCents);
      });
    },
  );

  it('given a held pay from a source, when it is cancelled and the repayment comes back, then its money is balance', async () => {
    await money.addCard(RETURNING_CARD);
    const { body } = await user.send({ email: unknownEmail() }, '250.00');
    expect([body.data.payment.status, await user.balanceCents()]).toEqual(['pending', 120_00]);
    await eventually(async () => expect((await money.history())[0]).toMatch(/^Payment from .* \$250\.00 Charged\./));
    expect((await user.act(body.data.payment.id, 'cancel')).body.data.status).toBe('cancelled');
    await eventually(async () => expect(await user.balanceCents()).toBe(370_00));
  });

  it('given a withdrawal that was paid, when the bank sends it back, then its money is balance again', async () => {
    const terms = ['--user', user.username, '--amount', '600', '--reference', 'RF-1', '--reason', 'a bank transfer'];
    expect(await runPaymentsCommand('funding', 'deposit', ...terms, '--confirm')).toMatch(/: settled$/m);
    await movePayoutWaitsBack(user.id);
    const { url } = await money.withdraw('25.00');
    expect(url.search).toBe('?done=withdrawal-settled');
    await eventually(async () => {
      expect((await money.history())[0]).toMatch(/^Withdrawal \$25\.00 Sent back by the bank\./);
      expect(await user.balanceCents()).toBe(970_00);
    });
  });

  it("given all this, when the provider's statement is compared, then it agrees with the ledger, which is in order", async () => {
    const statement = await provider.statement(Date.now() - 3_600_000, Date.now());
    expect(statement.split('\n')[0]).toMatch(/,0,37000$/);
    const file = join(folder, 'statement.csv');
    await writeFile(file, statement);
    expect(await runPaymentsCommand('funding', 'reconcile', file)).toMatch(/^Both sides agree$/m);
    expect(await runPaymentsCommand('funding', 'pending')).toMatch(/^Nothing waits$/m);
    expect(await runPaymentsCommandWith(PRODUCTION_KEY, 'ledger', 'verify')).toMatch(/^funding: in order$/m);
  });
});
