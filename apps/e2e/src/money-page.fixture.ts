import type { Page } from './browser.js';
import { pageUrl, type SignedUpUser } from './sign-up.js';

/** The page about money from and to the outside, as a user of a browser without scripts sees it. */
export class MoneyPage {
  constructor(
    private readonly user: Pick<SignedUpUser, 'browser'>,
    /** Enters cards on its pages. */
    private readonly provider: { enterCard(page: URL, cardNumber: string): Promise<URL> },
  ) {}

  open(): Promise<Page> {
    return this.user.browser.open(pageUrl('/account/funding'));
  }

  /** Enters a card on the provider's page and comes back. The card then pays for payments and receives withdrawals. */
  async addCard(cardNumber: string): Promise<Page> {
    return this.user.browser.open(await this.provider.enterCard(await this.beginCard(), cardNumber));
  }

  /** Returns the address of the provider's page on which a card is entered. */
  async beginCard(): Promise<URL> {
    return (await this.user.browser.submit(await this.open(), { for_payouts: 'yes' }, 'Continue to the provider')).url;
  }

  /**
   * @param lastFour digits of the card from which the money comes
   * @param fundingId of the deposit; absent: that of the form
   */
  async addMoney(amount: string, lastFour: string, fundingId?: string): Promise<Page> {
    const page = await this.open();
    const [, sourceKey = ''] = new RegExp(`<option value="([^"]*)"[^>]*>[^<]*${lastFour}<`).exec(page.html) ?? [];
    const id = fundingId === undefined ? {} : { funding_id: fundingId };
    return this.user.browser.submit(page, { amount, source_key: sourceKey, ...id }, 'Add money');
  }

  async withdraw(amount: string): Promise<Page> {
    return this.user.browser.submit(await this.open(), { amount }, 'Withdraw');
  }

  /** Returns the texts of everything that happened, newest first, without times. */
  async history(): Promise<readonly string[]> {
    const [, list = ''] = (await this.open()).html.split('id="history"');
    return list
      .split('<li')
      .slice(1)
      .map((item) => item.replace(/<span class="soft">\d{4}[^<]*/, '').replace(/<form[^]*/, ''))
      .map((item) =>
        item
          .slice(item.indexOf('>') + 1)
          .replaceAll(/<[^>]*>/g, ' ')
          .replaceAll(/\s+/g, ' ')
          .trim(),
      );
  }
}

/** Returns what the page shows as the balance, and as what can be withdrawn. */
export function amountsOn({ html }: Page): readonly (string | undefined)[] {
  return ['Balance', 'You can withdraw'].map(
    (name) => new RegExp(`<dt>${name}</dt><dd><strong>([^<]*)`).exec(html)?.[1],
  );
}
