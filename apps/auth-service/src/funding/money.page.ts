import { accountTemplate } from '../pages/account-template.js';
import type { MoneyView } from './money-view.js';

/** The form of the page to which a refusal belongs. */
export type MoneySection = 'deposit' | 'withdrawal' | 'sources' | 'source' | 'history';

/** The input of the form that was refused. */
export interface TypedMoney {
  readonly amount?: string;
  readonly sourceKey?: string;
  readonly isForPayments?: boolean;
  readonly isForPayouts?: boolean;
}

export interface MoneyPage {
  readonly view: MoneyView;
  /** The ids of the forms, so that one that is sent twice does it once. */
  readonly ids: Readonly<Record<'source' | 'deposit' | 'withdrawal' | 'change', string>>;
  readonly fault?: {
    readonly section: MoneySection;
    readonly message: string;
    /** Whether the entered amount is the reason. */
    readonly isAmount: boolean;
    readonly typed: TypedMoney;
  };
}

const SECTION_FAULT = (section: MoneySection) =>
  `<% if (it.fault?.section === '${section}' && !it.fault.isAmount) { %><p class="warn" role="alert"><%= it.fault.message %></p><% } %>`;

const FORM_TOKEN = '<input type="hidden" name="form_token" value="<%= it.user.formToken %>">';

const AMOUNT = (section: 'deposit' | 'withdrawal') =>
  `<%~ include('@field', { label: 'Amount', id: '${section}-amount', name: 'amount', hint: 'In dollars, such as 20 or 12.50.', ` +
  `value: it.fault?.section === '${section}' ? it.fault.typed.amount : undefined, ` +
  `error: it.fault?.section === '${section}' && it.fault.isAmount ? it.fault.message : undefined, ` +
  `inputmode: 'decimal', autocomplete: 'off', maxlength: 40, isVerbatim: true }) %>`;

const BALANCE = `<section aria-labelledby="balance-title">
<h2 id="balance-title">Your money</h2>
<% if (it.view.isTestMoney) { %><p class="warn"><strong>Test money.</strong> The connected provider moves no real money: everything on this page is a test.</p><% } %>
<dl>
<dt>Balance</dt><dd><strong><%= it.view.balance %></strong></dd>
<dt>You can withdraw</dt><dd><strong><%= it.view.withdrawable %></strong></dd>
</dl>
<% if (it.view.isBelowZero) { %><p class="warn">Your balance is below zero because a payment was disputed. Add money to make payments again.</p><% } %>
<p class="soft">Money from a card or account can be paid to others at once. It can be withdrawn after some days.</p>
</section>`;

const DEPOSIT = `<section aria-labelledby="deposit-title">
<h2 id="deposit-title">Add money</h2>
${SECTION_FAULT('deposit')}
<% if (it.view.chargeable.length === 0) { %><p>Add a card or account first. It must be verified before you can add money from it.</p><% } else { %>
<form method="post" action="/account/funding/deposits" autocomplete="off">
${FORM_TOKEN}
<input type="hidden" name="funding_id" value="<%= it.ids.deposit %>">
${AMOUNT('deposit')}
<div class="field">
<label for="deposit-source">From</label>
<select id="deposit-source" name="source_key">
<% const chosen = it.fault?.section === 'deposit' ? it.fault.typed.sourceKey : undefined; for (const source of it.view.chargeable) { %><option value="<%= source.key %>"<% if (chosen === undefined ? source.isChosen : chosen === source.key) { %> selected<% } %>><%= source.name %></option>
<% } %></select>
</div>
<button class="small">Add money</button>
</form>
<% } %>
</section>`;

const WITHDRAWAL = `<section aria-labelledby="withdrawal-title">
<h2 id="withdrawal-title">Withdraw</h2>
${SECTION_FAULT('withdrawal')}
<% if (it.view.payoutSource === null) { %><p>Add a card or account in your name for withdrawals first.</p><% } else { %>
<p>You can withdraw <%= it.view.withdrawable %> to <strong><%= it.view.payoutSource %></strong>.</p>
<form method="post" action="/account/funding/withdrawals" autocomplete="off">
${FORM_TOKEN}
<input type="hidden" name="funding_id" value="<%= it.ids.withdrawal %>">
${AMOUNT('withdrawal')}
<button class="small">Withdraw</button>
</form>
<% } %>
</section>`;

const SOURCES = `<section aria-labelledby="sources-title">
<h2 id="sources-title">Cards and accounts</h2>
${SECTION_FAULT('sources')}
<p class="soft">If your balance does not cover a payment, a card or account pays the whole payment.</p>
<% if (it.view.sources.length === 0 && !it.view.formerCard) { %><p>You have none. Payments that exceed your balance fail.</p><% } else { %><ul>
<% for (const source of it.view.sources) { %><li class="row">
<span><strong><%= source.name %></strong> <span class="tag<% if (!source.isActive) { %> open<% } %>"><%= source.state %></span><% for (const use of source.uses) { %><br><span class="soft"><%= use %></span><% } %></span>
<% if (source.canBecomePaying) { %><form method="post" action="/account/funding/sources/pay">
${FORM_TOKEN}
<input type="hidden" name="source_key" value="<%= source.key %>">
<button class="link">Use for payments<span class="hidden"> <%= source.name %></span></button>
</form>
<% } %><% if (source.canReceivePayouts) { %><form method="post" action="/account/funding/sources/payouts">
${FORM_TOKEN}
<input type="hidden" name="source_key" value="<%= source.key %>">
<input type="hidden" name="change_id" value="<%= it.ids.change %>">
<button class="link">Use for withdrawals<span class="hidden"> <%= source.name %></span></button>
</form>
<% } %><form method="post" action="/account/funding/sources/remove">
${FORM_TOKEN}
<input type="hidden" name="source_key" value="<%= source.key %>">
<button class="link">Remove<span class="hidden"> <%= source.name %></span></button>
</form>
</li>
<% } %><% if (it.view.formerCard) { %><li class="row">
<span>Card<% if (it.view.formerCard.lastFour) { %> ending in <strong><%= it.view.formerCard.lastFour %></strong><% } %><br><span class="soft">Pays for payments that exceed your balance</span></span>
<form method="post" action="/account/funding/remove">
${FORM_TOKEN}
<button class="link">Remove<span class="hidden"> this card</span></button>
</form>
</li>
<% } %></ul><% } %>
</section>
<section aria-labelledby="source-title">
<h2 id="source-title">Add a card or account</h2>
${SECTION_FAULT('source')}
<p class="soft">You enter the number on the page of the payment provider and come back here. We never see it.</p>
<form method="post" action="/account/funding/sources">
${FORM_TOKEN}
<input type="hidden" name="source_key" value="<%= it.ids.source %>">
<fieldset class="choices">
<legend>Use it for</legend>
<% const typed = it.fault?.section === 'source' ? it.fault.typed : {}; %><label><input type="checkbox" name="for_payments" value="yes"<% if (typed.isForPayments ?? true) { %> checked<% } %>> Payments that exceed your balance, and adding money</label>
<label><input type="checkbox" name="for_payouts" value="yes"<% if (typed.isForPayouts ?? false) { %> checked<% } %>> Withdrawals. It must be in your name. No withdrawal is paid out for 24 hours after you add it</label>
</fieldset>
<button class="small">Continue to the provider</button>
</form>
</section>`;

const HISTORY = `<section aria-labelledby="history">
<h2 id="history">What happened</h2>
${SECTION_FAULT('history')}
<% if (it.view.items.length === 0) { %><p>Nothing yet.</p><% } else { %><ul>
<% for (const item of it.view.items) { %><li class="row">
<span><strong><%= item.title %></strong> <%= item.amount %> <span class="soft"><%= item.createdAt %></span>
<br><%= item.status %><% if (item.reason) { %> <%= item.reason %><% } %><% if (item.paymentId) { %><br><span class="soft">Payment <%= item.paymentId %></span><% } %><% if (item.confirmUrl) { %><br><a href="<%= item.confirmUrl %>" rel="noreferrer">Confirm with your bank</a><% } %></span>
<% if (item.canCancel) { %><form method="post" action="/account/funding/withdrawals/cancel">
${FORM_TOKEN}
<input type="hidden" name="funding_id" value="<%= item.id %>">
<button class="link">Cancel<span class="hidden"> the withdrawal of <%= item.amount %></span></button>
</form>
<% } %></li>
<% } %></ul><% } %>
<% if (it.view.olderPath) { %><p><a href="<%= it.view.olderPath %>">Show older entries</a></p><% } %>
</section>
`;

/** The page about money between a wallet and the outside, with a payment provider. */
export const renderMoney = accountTemplate<MoneyPage>(
  { path: '/account/funding', title: 'Money' },
  [BALANCE, DEPOSIT, WITHDRAWAL, SOURCES, HISTORY].join('\n'),
);
