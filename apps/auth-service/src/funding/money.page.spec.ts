import { FUNDING_STATUSES, SettleError, type Account, type FundingItem, type FundingOverview } from '@settle/contracts';
import { DEPOSIT, OVERVIEW, PROVIDER_PAGE, SOURCE } from '../../test/funding-samples.fixture.js';
import { KIND_TEXTS, REASON_TEXTS, STATUS_TEXTS, describeRefusal, type KindOfMoney } from './funding-texts.js';
import { buildMoneyView } from './money-view.js';
import { renderMoney, type MoneyPage } from './money.page.js';

const HOSTILE = `<script>alert(1)</script>"'><img src=x onerror=alert(1)>`;
const NOW_MS = Date.UTC(2026, 0, 2);
const PAGE_ORIGINS = ['https://pages.provider.example'];
const IDS = { source: 'src-1', deposit: 'deposit-1', withdrawal: 'withdrawal-1', change: 'change-1' };

function render(
  change: Partial<FundingOverview>,
  paymentSource: Account['fundingSource'] = null,
  fault?: MoneyPage['fault'],
): string {
  const view = buildMoneyView({
    overview: { ...OVERVIEW, ...change },
    paymentSource,
    pageOrigins: PAGE_ORIGINS,
    nowMs: NOW_MS,
  });
  return renderMoney({ username: 'alice', formToken: 't' }, { view, ids: IDS, ...(fault && { fault }) });
}

const renderItem = (change: Partial<FundingItem>) => render({ items: [{ ...DEPOSIT, ...change }] });
const action = (url: string, expiresAt = '2026-01-02T00:00:01Z') => ({ nextAction: { url, expiresAt } });

describe('the page about money', () => {
  const kinds = Object.keys(KIND_TEXTS) as KindOfMoney[];
  // Shows friend-34
  it.each(kinds.flatMap((kind) => FUNDING_STATUSES.map((status) => [kind, status] as const)))(
    'given a %s that is %s, when the page is rendered, then it shows what that means and the amount to the cent',
    (kind, status) => {
      const html = renderItem({ kind, status });
      expect(html).toContain(`<strong>${KIND_TEXTS[kind]}</strong> $12.50`);
      expect(html).toContain(STATUS_TEXTS[kind][status]);
      expect(html).toContain('2026-01-02 03:04 UTC');
    },
  );

  // Shows friend-34
  it.each(Object.entries(REASON_TEXTS))(
    'given the reason %s, when the page is rendered, then it says what to do',
    (reason, text) => {
      const html = renderItem({ status: 'failed', reason: reason as FundingItem['reason'] });
      expect(html).toContain(text);
    },
  );

  it('given the charge of a payment that the user cancelled, when the page is rendered, then it is cancelled and not declined', () => {
    const html = renderItem({ kind: 'charge', status: 'failed', reason: 'cancelled' });
    expect([html.includes('Cancelled. No money was taken.'), html.includes('Declined.')]).toEqual([true, false]);
  });

  it('given an open charge of a payment, when the page is rendered, then the payment is not yet funded', () => {
    const html = renderItem({ kind: 'charge', status: 'pending', paymentId: '700' });
    expect(html).toContain('Not yet funded.');
    expect(html).toContain('Payment 700');
  });

  it.each([
    ['a page of the provider', { status: 'pending', ...action(PROVIDER_PAGE) }, true],
    ['a page elsewhere', { status: 'pending', ...action('https://evil.example/') }, false],
    ['a script', { status: 'pending', ...action('javascript:alert(1)') }, false],
    ['a page that has expired', { status: 'pending', ...action(PROVIDER_PAGE, '2026-01-01T23:59:59Z') }, false],
    ['a page of a deposit that is decided', { status: 'settled', ...action(PROVIDER_PAGE) }, false],
  ] as const)('given %s, when the page is rendered, then it links there: %#', (_name, change, isLinked) => {
    const html = renderItem(change);
    expect(html.includes('Confirm with your bank')).toBe(isLinked);
    expect(html.includes(`href="${change.nextAction.url}"`)).toBe(isLinked);
  });

  it('given hostile texts, when the page is rendered, then they are escaped', () => {
    const source = { ...SOURCE, key: HOSTILE, brand: HOSTILE, lastFour: HOSTILE };
    const items = [{ ...DEPOSIT, id: HOSTILE, paymentId: HOSTILE, kind: 'withdrawal', canCancel: true } as const];
    for (const section of ['deposit', 'withdrawal', 'sources', 'source', 'history'] as const) {
      const typed = { amount: HOSTILE, sourceKey: HOSTILE };
      const fault = { section, message: HOSTILE, isAmount: section === 'withdrawal', typed };
      const html = render({ sources: [source], items }, { id: 'other', lastFour: HOSTILE }, fault);
      expect(html).not.toContain('<script');
      expect(html).not.toContain('<img src=x');
      expect(html).toContain('&lt;script&gt;');
    }
  });

  it('given a provider without real money, when the page is rendered, then it says that the money is test money', () => {
    expect(render({ isLive: false })).toContain('Test money.');
    expect(render({})).not.toContain('Test money.');
  });

  it('given both amounts, when the page is rendered, then it shows both, and a balance below zero is explained', () => {
    const html = render({});
    expect(html).toContain('<dt>Balance</dt><dd><strong>$40.00</strong>');
    expect(html).toContain('<dt>You can withdraw</dt><dd><strong>$15.00</strong>');
    const below = render({ balanceCents: -5, withdrawableCents: -5 });
    expect(below).toContain('<strong>-$0.05</strong>');
    expect(below).toContain('<dt>You can withdraw</dt><dd><strong>$0.00</strong>');
    expect(below).toContain('below zero');
  });

  it('given sources, when the page is rendered, then it shows what each is for, and only those that can be charged are offered', () => {
    const verifying = {
      ...SOURCE,
      key: 'src-2',
      state: 'verifying',
      brand: null,
      lastFour: null,
      isForPayouts: false,
    } as const;
    const ended = { ...SOURCE, key: 'src-3', state: 'ended', lastFour: '9999' } as const;
    const html = render({ sources: [SOURCE, verifying, ended] }, { id: SOURCE.key, lastFour: '4242' });
    expect(html).toContain('Visa ending in 4242');
    expect(html).toContain('Receives your withdrawals');
    expect(html).toContain('Pays for payments');
    expect(html).toContain('Being verified');
    expect(html).not.toContain('9999');
    expect(html.match(/<option/g)).toHaveLength(1);
    expect(html).not.toContain('Use for payments');
    expect(render({}, null)).toContain('Use for payments');
    expect(html).not.toContain('Use for withdrawals');
    expect(render({ sources: [{ ...SOURCE, isForPayouts: false }] })).toContain('Use for withdrawals');
  });

  it.each([
    ['in another name', { isOwnerMatch: false }, 'it is not in your name'],
    ['that takes no payouts', { canPayout: false }, 'Cannot receive withdrawals'],
  ])(
    'given a source for payouts %s, when the page is rendered, then it says so and offers no withdrawal',
    (_name, change, words) => {
      const html = render({ sources: [{ ...SOURCE, ...change }] });
      expect(html).toContain(words);
      expect(html).not.toContain('action="/account/funding/withdrawals"');
    },
  );

  it('given a card from before the provider, when the page is rendered, then it can be removed', () => {
    const html = render({ sources: [] }, { id: 'test-card-1', lastFour: '0341' });
    expect(html).toContain('ending in <strong>0341</strong>');
    expect(html).toContain('action="/account/funding/remove"');
    expect(html).toContain('<option value="test-card-1" selected>Card ending in 0341</option>');
    expect(render({ sources: [] })).not.toContain('action="/account/funding/deposits"');
  });

  it('given older entries, when the page is rendered, then it links to them', () => {
    expect(render({ nextBeforeUs: 5 })).toContain('href="/account/funding?before=5#history"');
    expect(render({})).not.toContain('older entries');
  });

  it('given a withdrawal that can be cancelled, when the page is rendered, then it has a button, and a deposit has none', () => {
    expect(renderItem({ kind: 'withdrawal', canCancel: true })).toContain(
      'action="/account/funding/withdrawals/cancel"',
    );
    expect(renderItem({ kind: 'deposit', canCancel: true })).not.toContain('withdrawals/cancel');
  });
});

describe('refusals', () => {
  it.each([
    ['service_unavailable', 'nothing is lost'],
    ['outcome_unknown', 'The list below shows whether it was done'],
    ['account_frozen', 'Ask support'],
    ['resource_not_found', 'start again'],
    ['not_permitted', 'the words of the refusal'],
    ['insufficient_funds', 'the words of the refusal'],
  ] as const)('given %s, when it is described, then the user learns what to do next', (code, words) => {
    expect(describeRefusal(new SettleError(code, 'the words of the refusal'))).toContain(words);
  });
});
