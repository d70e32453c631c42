import { eventually } from '@settle/testing';
import type { Page } from './browser.js';
import { pageUrl, signUp, type SignedUpUser } from './sign-up.js';
import { newBrowser } from './sign-in.js';

const CARD = { card_number: '4242 4242 4242 4242', expiry: '12/99', security_code: '123' };
const FIRST_BALANCE_CENTS = 100_00;

let payer: SignedUpUser;
let payee: SignedUpUser;
beforeAll(async () => {
  payer = await signUp();
  payee = await signUp();
  // payments-service knows a new user once the record is published.
  await eventually(async () => expect((await payee.send({ user_id: payer.id }, '-0.01')).status).toBe(200));
});

const open = () => payer.browser.open(pageUrl('/account/funding'));
const add = async (card: Partial<typeof CARD> = {}) =>
  payer.browser.submit(await open(), { ...CARD, ...card }, 'Add card');
const remove = async () => payer.browser.submit(await open(), {}, 'Remove');
const shows = ({ status, html }: Page, words: string) => [status, html.includes(words)];
/** Makes a payment above the balance. Returns its status and the payer's balance. */
async function payBeyond(): Promise<[string, number]> {
  const { payment } = (await payer.send({ user_id: payee.id }, '250')).body.data;
  return [payment.status, await payer.balanceCents()];
}

describe('cards', () => {
  it('given no session or a forged form, when a card is sent, then none is added', async () => {
    expect((await newBrowser().open(pageUrl('/account/funding'))).url.pathname).toBe('/account/sign-in');
    const forged = new URLSearchParams({ ...CARD, form_token: 'x'.repeat(43) });
    expect((await payer.browser.send(pageUrl('/account/funding'), 'POST', forged)).status).toBe(403);
    expect(shows(await open(), 'You have no card')).toEqual([200, true]);
  });

  // Shows friend-27
  it.each([
    ['a number with a wrong digit', { card_number: '4242 4242 4242 4241' }, 400, 'not a card number'],
    ['a number that is no test number', { card_number: '5555 5555 5555 4444' }, 400, 'not a test number'],
    ['a past month', { expiry: '01/20' }, 400, 'has expired'],
    ['no security code', { security_code: '' }, 400, 'three or four digits'],
    ['a card that is declined', { card_number: '4000 0000 0000 0002' }, 403, 'was declined'],
  ])(
    'given %s, when the card is added, then the page names the problem and no card is added',
    async (_, card, status, words) => {
      const page = await add(card);
      expect(shows(page, words)).toEqual([status, true]);
      expect(page.html).not.toContain(`value="${CARD.card_number.slice(0, 4)}`);
      expect([await payer.balanceCents(), await payBeyond()]).toEqual([0, ['failed', 0]]);
    },
  );

  // Shows friend-25, demo-10
  it('given a card, when it is added twice, then the first balance is added once, and a payment above the balance is paid whole with the card', async () => {
    expect(shows(await add(), 'Card ending in <strong>4242</strong>')).toEqual([200, true]);
    await add();
    expect(await payer.balanceCents()).toBe(FIRST_BALANCE_CENTS);
    expect(await payBeyond()).toEqual(['settled', FIRST_BALANCE_CENTS]);
    expect(await payee.balanceCents()).toBe(250_00);
  });

  // Shows friend-26
  it('given a card that declines payments, when a payment exceeds the balance, then it fails', async () => {
    expect((await add({ card_number: '4000 0000 0000 0341' })).html).toContain('0341');
    expect(await payBeyond()).toEqual(['failed', FIRST_BALANCE_CENTS]);
  });

  // Shows friend-26
  it('given a card, when it is removed, then payments above the balance fail from that moment on', async () => {
    await add();
    expect(shows(await remove(), 'Card removed.')).toEqual([200, true]);
    expect(await payBeyond()).toEqual(['failed', FIRST_BALANCE_CENTS]);
    expect(shows(await open(), 'You have no card')).toEqual([200, true]);
  });
});
