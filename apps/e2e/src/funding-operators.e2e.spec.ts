import { eventually } from '@settle/testing';
import { enterCard } from './card-page.fixture.js';
import { MoneyPage } from './money-page.fixture.js';
import { runPaymentsCommand } from './payments-command.fixture.js';
import { signUp } from './sign-up.js';

const PATH = '/account/funding';
/** The user must confirm each charge on a page of the provider. */
const CONFIRMED = '4000 0000 0000 3220';

describe('operators of a product with the provider of development', () => {
  it('given a deposit that awaits a confirmation, when an operator cancels it, then the command finds the provider by itself', async () => {
    const payer = await signUp();
    const money = new MoneyPage(payer, { enterCard });
    await money.addCard(CONFIRMED);
    const [form] = (await money.open()).forms.filter(({ action }) => action === `${PATH}/deposits`);
    const key = form?.fields.funding_id ?? '';
    expect((await money.addMoney('30', '3220', key)).url.search).toBe('?done=deposit-confirm');
    const said = await runPaymentsCommand('funding', 'cancel', key, '--confirm');
    expect(said).toContain(`charge ${key}: cancelled at the provider`);
    await eventually(async () => expect((await money.history())[0]).toMatch(/^Deposit \$30\.00 (Not added|Cancelled)/));
    expect(await payer.balanceCents()).toBe(0);
  });
});
