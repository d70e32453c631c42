import { randomUUID } from 'node:crypto';
import { eventually } from '@settle/testing';
import { enterCard, sendCard } from './card-page.fixture.js';
import { MoneyPage, amountsOn } from './money-page.fixture.js';
import { pageUrl, signUp, type SignedUpUser } from './sign-up.js';
import { formTargets, newBrowser } from './sign-in.js';

const PATH = '/account/funding';
const APPROVED = '4242 4242 4242 4242';
const DECLINING = '4000 0000 0000 0341';
const DEPOSIT_CENTS = 100_00;

let payer: SignedUpUser;
let payee: SignedUpUser;
let money: MoneyPage;
beforeAll(async () => {
  payer = await signUp();
  payee = await signUp();
  money = new MoneyPage(payer, { enterCard });
  // payments-service knows a new user once the record is published.
  await eventually(async () => expect((await payee.send({ user_id: payer.id }, '-0.01')).status).toBe(200));
});

/** Makes a payment above the balance. Returns its status once it is final, and the payer's balance. */
async function payBeyond(): Promise<[string, number]> {
  const { id } = (await payer.send({ user_id: payee.id }, '250')).body.data.payment;
  const status = await eventually(async () => {
    const { data } = (await payer.read(id)).body;
    expect(data.status).not.toBe('pending');
    return data.status;
  });
  return [status, await payer.balanceCents()];
}

describe('cards in development', () => {
  it('given no session or a forged form, when a card is begun, then none is', async () => {
    expect((await newBrowser().open(pageUrl(PATH))).url.pathname).toBe('/account/sign-in');
    const fields = { source_key: `src-${randomUUID()}`, for_payments: 'yes', form_token: 'x'.repeat(43) };
    const forged = await payer.browser.send(pageUrl(`${PATH}/sources`), 'POST', new URLSearchParams(fields));
    expect(forged.status).toBe(403);
  });

  // Shows friend-28
  it('given the page, when it is opened, then it takes no card number, and its forms lead to itself and one provider', async () => {
    const page = await money.open();
    expect(page.html).toContain('Test money.');
    expect(page.html).not.toContain('card_number');
    expect(formTargets(page)).toEqual(["'self'", expect.stringMatching(/^http:\/\/127\.0\.0\.1:[0-9]+$/)]);
    expect((await money.beginCard()).origin).toBe(formTargets(page)[1]);
  });

  // Shows friend-27
  it.each(['4242 4242 4242 4241', '5555 5555 5555 4444', ''])(
    'given the number "%s", when it is entered, then the page of the provider refuses it, and a payment above the balance fails',
    async (number) => {
      const answer = await sendCard(await money.beginCard(), number);
      expect([answer.status, (await answer.text()).includes('not one of the test cards')]).toEqual([400, true]);
      expect((await money.open()).html).toContain('Add a card or account first.');
      expect(await payBeyond()).toEqual(['failed', 0]);
    },
  );

  // Shows friend-25, demo-10
  it('given a card, when it is added, then it brings no money, and a payment above the balance is paid whole with it', async () => {
    expect((await money.addCard(APPROVED)).html).toContain('Visa ending in 4242');
    expect(await payer.balanceCents()).toBe(0);
    expect(await payBeyond()).toEqual(['settled', 0]);
    await eventually(async () => expect(await payee.balanceCents()).toBe(250_00));
  });

  it('given a card of another user, when a user adds the same test number, then both have it', async () => {
    const other = new MoneyPage(payee, { enterCard });
    expect((await other.addCard(APPROVED)).url.search).toBe('?done=source-added');
    expect((await money.open()).html).toContain('Visa ending in 4242');
  });

  it('given the card, when money is added, then it is balance', async () => {
    const page = await money.addMoney('100.00', '4242');
    expect([page.status, page.url.search]).toEqual([200, '?done=deposit-settled']);
    expect([amountsOn(page)[0], await payer.balanceCents()]).toEqual(['$100.00', DEPOSIT_CENTS]);
    expect(await payBeyond()).toEqual(['settled', DEPOSIT_CENTS]);
  });

  // Shows friend-26
  it('given a card that declines payments, when a payment exceeds the balance, then it fails', async () => {
    expect((await money.addCard(DECLINING)).html).toContain('0341');
    expect(await payBeyond()).toEqual(['failed', DEPOSIT_CENTS]);
  });

  // Shows friend-26
  it('given two cards, when both are removed, then payments above the balance fail from that moment on', async () => {
    const action = `${PATH}/sources/remove`;
    const forms = (await money.open()).forms.filter((form) => form.action === action);
    expect(forms).toHaveLength(2);
    for (const { fields } of forms) {
      const removed = await payer.browser.send(pageUrl(action), 'POST', new URLSearchParams(fields));
      expect(removed.url.search).toBe('?done=source-removed');
    }
    expect((await money.open()).html).toContain('You have none.');
    expect(await payBeyond()).toEqual(['failed', DEPOSIT_CENTS]);
  });
});
