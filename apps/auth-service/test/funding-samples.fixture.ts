import type { FundingItem, FundingOverview, SourceView } from '@settle/contracts';

export const FUNDING_PATH = '/account/funding';
export const PROVIDER_PAGE = 'https://pages.provider.example/cards/1';
export const SOURCE: SourceView = {
  key: 'src-11111111-1111-4111-8111-111111111111',
  state: 'active',
  canCharge: true,
  canPayout: true,
  isOwnerMatch: true,
  brand: 'Visa',
  lastFour: '4242',
  isForPayouts: true,
};
export const DEPOSIT: FundingItem = {
  kind: 'deposit',
  id: 'd1',
  amountCents: 12_50,
  status: 'settled',
  reason: null,
  paymentId: null,
  createdAtUs: Date.UTC(2026, 0, 2, 3, 4) * 1_000,
  nextAction: null,
  canCancel: false,
};
export const OVERVIEW: FundingOverview = {
  isAvailable: true,
  isLive: true,
  balanceCents: 40_00,
  withdrawableCents: 15_00,
  sources: [SOURCE],
  items: [],
  nextBeforeUs: null,
};
