import { isProviderPage } from '@settle/config';
import {
  formatDollars,
  type Account,
  type FundingItem,
  type FundingOverview,
  type SourceView,
} from '@settle/contracts';
import { formatMinute } from '../pages/format-minute.js';
import { KIND_TEXTS, REASON_TEXTS, describeStatus, nameSource } from './funding-texts.js';

const US_PER_MS = 1_000;

export interface MoneyViewOptions {
  readonly overview: FundingOverview;
  /** The source of payments above the balance. */
  readonly paymentSource: Account['fundingSource'];
  /** Origins of the pages of the payment provider. */
  readonly pageOrigins: readonly string[];
  readonly nowMs: number;
}

/** The texts of the page about money between a wallet and the outside. */
export type MoneyView = ReturnType<typeof buildMoneyView>;

/** Returns the texts that the page shows. */
export function buildMoneyView({ overview, paymentSource, pageOrigins, nowMs }: MoneyViewOptions) {
  const { balanceCents, withdrawableCents, isLive, nextBeforeUs } = overview;
  const sources = overview.sources.filter(({ state }) => state !== 'ended');
  const payout = sources.find((source) => source.isForPayouts && canBePaidOutTo(source));
  const formerCard = findFormerCard(sources, paymentSource);
  return {
    isTestMoney: !isLive,
    balance: formatDollars(balanceCents),
    withdrawable: formatDollars(Math.max(0, withdrawableCents)),
    isBelowZero: balanceCents < 0,
    sources: sources.map((source) => toSourceRow(source, source.key === paymentSource?.id)),
    formerCard,
    chargeable: [
      ...sources.filter(canBeCharged).map((source) => ({ key: source.key, name: nameSource(source) })),
      ...(formerCard?.key === undefined ? [] : [{ key: formerCard.key, name: nameFormerCard(formerCard) }]),
    ].map((source) => ({ ...source, isChosen: source.key === paymentSource?.id })),
    payoutSource: payout === undefined ? null : nameSource(payout),
    items: overview.items.map((item) => toItemRow(item, { pageOrigins, nowMs })),
    olderPath: nextBeforeUs === null ? null : `/account/funding?before=${nextBeforeUs}#history`,
  };
}

/** Returns a card from before there was a provider; its key and its last digits are absent or null if they are not known. */
function findFormerCard(sources: readonly SourceView[], paymentSource: Account['fundingSource']) {
  if (paymentSource === null || sources.some(({ key }) => key === paymentSource.id)) return null;
  return { key: paymentSource.id, lastFour: paymentSource.lastFour };
}

const nameFormerCard = ({ lastFour }: { readonly lastFour: string | null }): string =>
  nameSource({ brand: 'Card', lastFour });

/** Whether the source can pay for deposits and payments. */
export const canBeCharged = ({ state, canCharge }: SourceView): boolean => state === 'active' && canCharge;

const canBePaidOutTo = ({ state, canPayout, isOwnerMatch }: SourceView): boolean =>
  state === 'active' && canPayout && isOwnerMatch;

/** Returns what the source is for, and why it cannot be used for it. */
function describeUses(source: SourceView, isForPayments: boolean): readonly string[] {
  const { state, isForPayouts, isOwnerMatch, canPayout, canCharge } = source;
  const uses = [
    ...(isForPayments ? ['Pays for payments that exceed your balance'] : []),
    ...(isForPayouts ? ['Receives your withdrawals'] : []),
  ];
  if (state !== 'active') return uses;
  if (isForPayments && !canCharge) uses.push('Cannot be charged');
  if (isForPayouts && !isOwnerMatch) uses.push('Cannot receive withdrawals: it is not in your name');
  else if (isForPayouts && !canPayout) uses.push('Cannot receive withdrawals');
  return uses;
}

function toSourceRow(source: SourceView, isForPayments: boolean) {
  const { key, state } = source;
  const isActive = state === 'active';
  return {
    key,
    name: nameSource(source),
    state: isActive ? 'Active' : 'Being verified',
    isActive,
    uses: describeUses(source, isForPayments),
    canBecomePaying: canBeCharged(source) && !isForPayments,
    canReceivePayouts: canBePaidOutTo(source) && !source.isForPayouts,
  };
}

function toItemRow(item: FundingItem, { pageOrigins, nowMs }: Pick<MoneyViewOptions, 'pageOrigins' | 'nowMs'>) {
  const { kind, id, amountCents, status, reason, paymentId, createdAtUs, nextAction, canCancel } = item;
  const isDue = nextAction !== null && status === 'pending' && !(Date.parse(nextAction.expiresAt) <= nowMs);
  return {
    id,
    title: KIND_TEXTS[kind],
    amount: formatDollars(amountCents),
    status: describeStatus(item),
    reason: reason === null ? null : REASON_TEXTS[reason],
    paymentId,
    createdAt: formatMinute(new Date(createdAtUs / US_PER_MS)),
    /** The page on which the user confirms; null: there is none, or it is not one of the provider. */
    confirmUrl: isDue && isProviderPage(nextAction.url, pageOrigins) ? nextAction.url : null,
    canCancel: canCancel && kind === 'withdrawal',
  };
}
