import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, freePort } from '@settle/testing';
import { startMailServer, type CaughtMail } from '../caught-messages.fixture.js';
import { prepareDedicatedProduct, type DedicatedProduct } from '../dedicated-product.js';
import { MoneyPage } from '../money-page.fixture.js';
import { movePayoutWaitsBack } from '../payout-waits.fixture.js';
import { runPaymentsCommand, runPaymentsCommandWith } from '../payments-command.fixture.js';
import {
  PAGES_ORIGIN,
  authorizeOwnApp,
  createOwnApp,
  PRODUCTION_KEY,
  productionSettings,
  signUpInProduction,
} from '../production.fixture.js';
import { ProviderUnderTest } from '../provider-under-test.fixture.js';
import { selectProcesses, withDatabase } from '../running-stack.fixture.js';
import type { Shape } from '../shapes.js';
import type { SignedUpUser } from '../sign-up.js';
import { cents } from '../wire.js';
import { HttpPath } from './http-path.fixture.js';

/** Approved at once, and repaid at once. */
const PROMPT_CARD = '4242424242424242';
/** Pending, and approved later: the approval comes by callback. */
const LATER_CARD = '4000003720000278';
/** Payouts to it are paid at once. No spec here charges it. */
const PAYOUT_CARD = '4000000000002685';
const BANK_TRANSFER = ['--amount', '600', '--reference', 'RF-1', '--reason', 'a bank transfer'];
const BANK_CENTS = 600_00;
/** The provider is asked 2 s, 10 s, 1 minute and 5 minutes after the intent. */
const ANSWERED_WAIT_MS = 400_000;
const STATEMENT_MS = 7_200_000;
const PAYMENTS = ['payments-1', 'payments-2', 'payments-3'];

/** A row of the provider's statement. */
export interface Booking {
  readonly kind: string;
  readonly cents: number;
  readonly state: string;
}

/** A user with one card at the provider. */
export interface Customer {
  readonly user: SignedUpUser;
  readonly money: MoneyPage;
  readonly lastFour: string;
}

/** A product of one shape and the reference provider, with a path between them in each direction on which faults are made. */
export class FundingUnderFaults {
  readonly provider = new ProviderUnderTest(PAGES_ORIGIN);
  #mail!: CaughtMail;
  #product!: DedicatedProduct;
  #folder = '';
  /** Requests of the product. */
  toProvider!: HttpPath;
  /** Callbacks. */
  toProduct!: HttpPath;
  /** Pays by a card; has no balance. */
  payer!: Customer;
  /** Adds money by a card whose charges are approved later. */
  saver!: Customer;
  /** Has money from a bank transfer and withdraws it. */
  withdrawer!: Customer;

  constructor(private readonly shape: Extract<Shape, 'embedded' | 'stack'>) {}

  async start(): Promise<void> {
    process.env.E2E_SHAPE = this.shape;
    const port = await freePort();
    [this.toProvider, this.toProduct] = [await HttpPath.listen(), await HttpPath.listen()];
    this.toProduct.leadTo(`http://127.0.0.1:${port}`);
    await this.provider.start(this.toProduct.url);
    this.toProvider.leadTo(this.provider.url);
    this.#mail = await startMailServer();
    this.#folder = await mkdtemp(join(tmpdir(), 'settle-funding-faults-'));
    const settings = { ...productionSettings(this.#mail, this.provider), FUNDING_PROVIDER_URL: this.toProvider.url };
    this.#product = prepareDedicatedProduct(settings, port);
    await this.#product.start();
    await this.#signUpCustomers();
  }

  async #signUpCustomers(): Promise<void> {
    const signedUp = [];
    for (const name of ['ana', 'ben', 'eva']) signedUp.push(await signUpInProduction(name, this.#mail));
    await createOwnApp('ana');
    const customers: Customer[] = [];
    for (const [at, card] of [PROMPT_CARD, LATER_CARD, PAYOUT_CARD].entries()) {
      const user = await authorizeOwnApp(signedUp[at] as (typeof signedUp)[number]);
      const money = new MoneyPage(user, this.provider);
      await money.addCard(card);
      customers.push({ user, money, lastFour: card.slice(-4) });
    }
    [this.payer, this.saver, this.withdrawer] = customers as [Customer, Customer, Customer];
    const { username, id } = this.withdrawer.user;
    await runPaymentsCommand('funding', 'deposit', '--user', username, ...BANK_TRANSFER, '--confirm');
    await movePayoutWaitsBack(id);
  }

  /** Kills payments-service: the whole process of the embedded shape, and every instance on the stack. Resolves once it serves again. */
  async killPayments(): Promise<void> {
    if (this.shape === 'embedded') {
      await this.#product.kill();
      this.release();
      return this.#product.start();
    }
    const processes = await selectProcesses(...PAYMENTS);
    await processes.kill();
    this.release();
    await processes.back();
  }

  release(): void {
    this.toProvider.release();
    this.toProduct.release();
  }

  /** Returns how many events of a type the log has. */
  countEvents(type: string): Promise<number> {
    return withDatabase('payments', async (client) => {
      const { rows } = await client.query<{ count: number }>(
        'select count(*)::int as count from events where type = $1',
        [type],
      );
      return rows[0]?.count ?? 0;
    });
  }

  /** Resolves once the log has more events of the type than `before`. */
  async waitForEvent(type: string, before: number): Promise<void> {
    await eventually(async () => {
      if ((await this.countEvents(type)) <= before) throw new Error(`No ${type} was appended`);
    });
  }

  /** Resolves once the provider has answered everything, and the log has it. */
  async waitUntilAnswered(): Promise<void> {
    await eventually(async () => expect(await runPaymentsCommand('funding', 'pending')).toMatch(/^Nothing waits$/m), {
      timeoutMs: ANSWERED_WAIT_MS,
    });
  }

  /** Returns what the provider has booked, as its statement says. */
  async bookings(): Promise<readonly Booking[]> {
    return (await this.#statement())
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.split(','))
      .map(([, , kind = '', cents, state = '']) => ({ kind, cents: Number(cents), state }));
  }

  /** Compares the provider's books with ours: each booking, and the sums to the cent. Rejects with the differences. */
  async expectEqualBooks(): Promise<void> {
    const statement = await this.#statement();
    const file = join(this.#folder, 'statement.csv');
    await writeFile(file, statement);
    expect(await runPaymentsCommand('funding', 'reconcile', file)).toMatch(/^Both sides agree$/m);
    expect(await runPaymentsCommandWith(PRODUCTION_KEY, 'ledger', 'verify')).toMatch(/^funding: in order$/m);
    const closingCents = Number(statement.split('\n')[0]?.split(',').at(-1));
    const customers = [this.payer, this.saver, this.withdrawer];
    const balances = await Promise.all(customers.map(({ user }) => user.balanceCents()));
    const heldCents = await this.heldCents();
    expect(balances.reduce((sum, cents) => sum + cents, heldCents)).toBe(BANK_CENTS + closingCents);
  }

  /** Returns the money of the payer's pending payments, which is in no wallet. */
  async heldCents(): Promise<number> {
    const { body } = await this.payer.user.list({ limit: 50 });
    const pending = body.data.filter(({ status }) => status === 'pending');
    return pending.reduce((sum, { amount }) => sum + cents(amount), 0);
  }

  async #statement(): Promise<string> {
    return this.provider.statement(Date.now() - STATEMENT_MS, Date.now());
  }

  async close(): Promise<void> {
    delete process.env.E2E_SHAPE;
    this.release();
    await this.#product.close();
    await this.#mail.close();
    await this.provider.close();
    await this.toProvider.close();
    await this.toProduct.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
