import type { WalletEvent } from '@settle/payments-domain';
import { newWalletEvent } from './step-ids.js';

const at = { balanceCents: 0, atUs: 1 };
const of = { paymentId: '11', ...at };
const amount = { amountCents: 5, feeCents: 0 };
const source = { amountCents: 5, sourceId: 'card' };

/** Events from before there was a provider, with the ids that stored ones have. */
const RECORDED: [id: string, event: WalletEvent, deposit?: string][] = [
  ['d0b076df-11bc-5b8e-a2ca-1c224f644b8d', { type: 'WalletOpened', data: { paymentId: null, ...at } }],
  ['2b724224-b4f5-5bac-bc6b-ea59173ab47c', { type: 'FundingRequested', data: { ...of, ...source, attempt: 2 } }],
  ['fe2675a1-c329-587e-a70d-0b62197f18ea', { type: 'FundsAdded', data: { ...of, ...source, attempt: 2 } }],
  [
    'b3ed572e-341d-533a-8f65-6c02a587ba1a',
    { type: 'FundsAdded', data: { ...at, paymentId: null, amountCents: 5, sourceId: 'demo-bank', attempt: 0 } },
    'c0ffee',
  ],
  ['fb7da35c-8ac6-52bb-b7b3-94410aec3a03', { type: 'FundingDeclined', data: { ...of, attempt: 2 } }],
  ['7fb4764d-7fb5-59e5-a654-a61d447c138b', { type: 'DebitRefused', data: { ...of, attempt: 1 } }],
  ['18a66d81-283f-5db8-ab5f-3ac6049e86c1', { type: 'FundsDebited', data: { ...of, ...amount } }],
  ['18a66d81-283f-5db8-ab5f-3ac6049e86c1', { type: 'FundsDebited', data: { ...of, ...amount, appId: 'app' } }],
  ['d4c0c53a-0590-50f8-bf95-e1458cb9681e', { type: 'FundsCredited', data: { ...of, amountCents: 5 } }],
  ['9db9d6f7-8942-5e41-9ffd-3819a67d2cf5', { type: 'FundsReturned', data: { ...of, ...amount } }],
  ['35d6c284-6540-5b54-9f52-b0cee772b8ed', { type: 'FundsWithdrawn', data: { ...of, ...source } }],
];

describe('recorded ids of wallet steps', () => {
  it('given stored events, when the events are built again, then their ids are the same', () => {
    const ids = RECORDED.map(([, event, deposit]) => newWalletEvent('7', event, deposit).id);
    expect(ids).toEqual(RECORDED.map(([id]) => id));
  });

  it('given events of a provider that differ in one key, when they are built, then all ids differ', () => {
    const reversal = { ...of, reversalId: 'r1', chargeKey: 'c1', amountCents: 5 };
    const repayment = { ...of, chargeKey: 'c1', key: 'k1', beginBeforeUs: 9 };
    const withdrawn = { ...at, paymentId: null, fundingId: 'w1', ...source };
    const added = { ...of, ...source, attempt: 2, chargeKey: 'c1' };
    const events: WalletEvent[] = [
      { type: 'FundsReversed', data: reversal },
      { type: 'FundsReversed', data: { ...reversal, reversalId: 'r2' } },
      { type: 'ReversalReturned', data: reversal },
      { type: 'RepaymentRequested', data: repayment },
      { type: 'RepaymentRequested', data: { ...repayment, key: 'k2' } },
      { type: 'RepaymentRequested', data: { ...repayment, chargeKey: 'c2' } },
      // The loser reads the moment that is stored.
      { type: 'RepaymentRequested', data: { ...repayment, beginBeforeUs: 10 } },
      { type: 'FundsWithdrawn', data: withdrawn },
      { type: 'FundsWithdrawn', data: { ...withdrawn, fundingId: 'w2' } },
      { type: 'FundsWithdrawn', data: { ...withdrawn, chargeKey: 'c1', repaymentKey: 'k1' } },
      { type: 'FundsAdded', data: added },
      { type: 'FundsAdded', data: { ...added, chargeKey: 'c2' } },
      { type: 'FundsAdded', data: { ...added, isLate: true } },
      { type: 'FundsDebited', data: { ...of, ...amount, chargeKey: 'c1' } },
      { type: 'FundsDebited', data: { ...of, ...amount, chargeKey: null } },
    ];
    const ids = events.map((event) => newWalletEvent('7', event).id);
    expect(new Set(ids).size).toBe(events.length);
    expect(events.map((event) => newWalletEvent('7', event).id)).toEqual(ids);
  });
});
