import { eventually, freePort } from '@settle/testing';
import { prepareDedicatedProduct, type DedicatedProduct } from './dedicated-product.js';
import { startInspector, type PageInspector } from './page-inspector.fixture.js';
import { ProviderUnderTest } from './provider-under-test.fixture.js';
import { NEW_PASSWORD, awaitCode, drawNames } from './sign-up.js';
import { unknownEmail } from './users.js';

const SHAPE = process.env.E2E_SHAPE ?? 'running';
const APPROVED_CARD = '4242 4242 4242 4242';
/** The user must confirm each charge on a page of the provider. */
const CONFIRMED_CARD = '4000 0000 0000 3220';

describe("the provider's pages, on another site, in Chromium", () => {
  const provider = new ProviderUnderTest();
  const faults: string[] = [];
  let product: DedicatedProduct;
  let inspector: PageInspector;

  beforeAll(async () => {
    const port = await freePort();
    await provider.start(`http://127.0.0.1:${port}`);
    product = prepareDedicatedProduct({ DEMO: 'false', DEV_TOOLS: 'true', ...provider.env }, port);
    await product.start();
    inspector = await startInspector(`${SHAPE}/provider`);
    const email = unknownEmail();
    await inspector.open('/account/sign-up');
    await inspector.fill({ ...drawNames(), email, password: NEW_PASSWORD });
    await inspector.press('Sign up');
    await inspector.fill({ code: await awaitCode(email) });
    await inspector.press('Continue');
  }, 180_000);
  afterAll(async () => {
    await inspector.close();
    await product.close();
    await provider.close();
  }, 60_000);

  // Pages are the same in every shape, and inspecting them takes time.
  const inspect = async (name: string) => {
    if (SHAPE !== 'stack') faults.push(...(await inspector.inspect(name)));
  };
  const balance = () => inspector.page.textContent('dl dd');

  async function addCard(number: string): Promise<void> {
    await inspector.open('/account/funding');
    await inspector.page.check('[name=for_payouts]');
    await inspector.press('Continue to the provider');
    await inspector.page.waitForURL(/^http:\/\/localhost:\d+\/cards\//);
    await inspector.page.fill('#card_number', number);
    await inspector.page.click('button:text-is("Add card")');
    await inspector.page.waitForURL(/\/account\/funding\?done=source-added$/);
  }

  async function addMoney(dollars: string, from: string): Promise<void> {
    await inspector.page.fill('#deposit-amount', dollars);
    await inspector.page.selectOption('#deposit-source', { label: from });
    await inspector.press('Add money');
  }

  it('given a signed-in user, when a card is entered on the page of the provider, then the user is back and still signed in', async () => {
    await inspector.open('/account/funding');
    await inspect('no-source');
    await addCard(APPROVED_CARD);
    expect(await inspector.page.textContent('section[aria-labelledby=sources-title]')).toContain('Visa ending in 4242');
    await inspect('source');
  });

  it('given the card, when money is added, then the page shows it', async () => {
    await addMoney('12.5', 'Visa ending in 4242');
    expect(await balance()).toBe('$12.50');
    await inspect('money');
  });

  it('given a card that asks for a confirmation, when it is given on the page of the provider, then the money arrives', async () => {
    await addCard(CONFIRMED_CARD);
    await addMoney('30', 'Visa ending in 3220');
    await inspect('to-be-confirmed');
    expect(await balance()).toBe('$12.50');
    await inspector.page.click('text=Confirm with your bank');
    await inspector.page.click('button:text-is("Confirm")');
    await eventually(async () => {
      await inspector.open('/account/funding');
      expect(await balance()).toBe('$42.50');
    });
    expect(await inspector.page.textContent('section[aria-labelledby=history]')).not.toContain(
      'Confirm with your bank',
    );
  });

  it('given all these pages, when they are inspected, then axe finds nothing, none is too wide, and the browser reports no violation', () => {
    expect([...faults, ...inspector.complaints]).toEqual([]);
  });
});
