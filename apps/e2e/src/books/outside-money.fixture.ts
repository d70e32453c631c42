import { enterCard } from '../card-page.fixture.js';
import { MoneyPage } from '../money-page.fixture.js';
import { movePayoutWaitsBack } from '../payout-waits.fixture.js';
import { renewSignIns } from '../sign-in-age.fixture.js';
import { signUp, type SignedUpUser } from '../sign-up.js';
import { withDatabase } from '../running-stack.fixture.js';
import { payDownTo, unknownEmail, type TestUser } from '../users.js';

/** Cards of the reference provider, each with its own movements of money. */
const CARDS = {
  prompt: '4242424242424242',
  later: '4000003720000278',
  reversed: '4000000000000259',
  reversedAndWon: '4000000000002685',
  refusingPayouts: '4000000000007031',
  returningPayouts: '4000000000007056',
} as const;

/** An operator looks at an account whose charge is disputed: it brings money in once and does nothing else. */
const DISPUTED: readonly string[] = [CARDS.reversed, CARDS.reversedAndWon];

/** Covers the fee of a payment of everything above it. */
const KEPT_CENTS = 50_00;

interface Customer {
  readonly card: string;
  readonly user: SignedUpUser;
  readonly money: MoneyPage;
}

/** Users who move money from and to their cards. */
export class OutsideMoney {
  private constructor(
    private readonly customers: readonly Customer[],
    private readonly payee: TestUser,
  ) {}

  /** Signs up one user for each card. @param payee whom they pay by card */
  static async begin(payee: TestUser): Promise<OutsideMoney> {
    const customers: Customer[] = [];
    for (const card of Object.values(CARDS)) {
      const user = await signUp();
      const money = new MoneyPage(user, { enterCard });
      await money.addCard(card);
      await movePayoutWaitsBack(user.id);
      customers.push({ card, user, money });
    }
    const outside = new OutsideMoney(customers, payee);
    for (const { card, money } of customers.filter((each) => DISPUTED.includes(each.card)))
      await money.addMoney('20.00', card.slice(-4));
    return outside;
  }

  get users(): readonly TestUser[] {
    return this.customers.map(({ user }) => user);
  }

  /** Lets every customer move money in turn, until `isOver`. A request that a kill interrupts is left as it is. */
  async moveUntil(isOver: () => boolean): Promise<void> {
    while (!isOver()) await this.moveOnce().catch(() => undefined);
  }

  /** Lets every customer pay by card, take a held payment back, add money and withdraw some. */
  async moveOnce(): Promise<void> {
    await renewSignIns();
    for (const { card, user, money } of this.customers) {
      if (DISPUTED.includes(card)) continue;
      // A refused repayment doubles the balance.
      await payDownTo(KEPT_CENTS, user, { user_id: this.payee.id });
      // More than the balance, so that the card pays the whole amount.
      const amount = (await user.balanceCents()) / 100 + 1;
      await user.send({ user_id: this.payee.id }, amount.toFixed(2));
      const held = await user.send({ email: unknownEmail() }, amount.toFixed(2));
      await user.act(held.body.data.payment.id, 'cancel');
      await money.addMoney('5.00', card.slice(-4));
      await money.withdraw('1.00');
    }
  }
}

/** Rejects while the provider has something left to do, such as a payout to return, or payments-service has not heard of it. */
export async function expectProviderAtRest(): Promise<void> {
  const scheduled = await withDatabase('reference_provider', (client) =>
    client.query('select from scheduled_steps union all select from callbacks'),
  );
  const heard = await withDatabase('payments', (client) =>
    client.query('select from provider_hints where handled_at is null'),
  );
  expect([scheduled.rowCount, heard.rowCount]).toEqual([0, 0]);
}
