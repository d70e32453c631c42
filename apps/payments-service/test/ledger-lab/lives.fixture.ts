import type { PaymentView, RequestAction, UserRecord, UsersStateRecord } from '@settle/contracts';
import { claimAction, expiryAction } from '../../src/commands/payment-actions.js';
import type { LabInstance } from './ledger-lab.fixture.js';
import { actCommand, anEmail, createCommand, pair } from './people.fixture.js';

const CARD = { fundingSourceId: 'test-card-1' };
const DECLINED_CARD = { fundingSourceId: 'test-card-declined-1' };
const US_PER_DAY = 86_400_000_000;
export const REFUND = 'PaymentCreated+PaymentSettled';

/** The instance that will be stopped, the one that goes on, and two people who know each other. */
export interface Scene {
  readonly failing: LabInstance;
  readonly steady: LabInstance;
  readonly actor: UserRecord;
  readonly target: UserRecord;
  know(...records: readonly UsersStateRecord[]): Promise<void>;
}

export interface Life {
  readonly mode: string;
  readonly actor?: Partial<UserRecord>;
  readonly target?: Partial<UserRecord>;
  readonly cents?: readonly [actor: number, target: number];
  /** The appends of the process in order; it is stopped after each of them in turn. */
  readonly steps: readonly string[];
  /** Creates the initial payment and resolves with its id. */
  readonly before?: (scene: Scene) => Promise<string>;
  /** The command in which the process is stopped. */
  readonly run: (scene: Scene, paymentId: string) => Promise<unknown>;
  readonly status: PaymentView['status'];
  readonly balances: readonly [actor: number, target: number];
}

const pay = ({ failing, actor, target }: Scene, paymentId: string) =>
  failing.commands.create(createCommand(actor, target, { paymentId }));
const chargeBy = (instance: LabInstance, { actor, target }: Scene, paymentId?: string) =>
  instance.commands.create(createCommand(actor, target, { action: 'charge', ...(paymentId && { paymentId }) }));
const charge = (scene: Scene, paymentId: string) => chargeBy(scene.failing, scene, paymentId);
const requested = async (scene: Scene) => (await chargeBy(scene.steady, scene)).payment.id;
const held = async ({ steady, actor }: Scene) => (await steady.create(actor, anEmail())).payment.id;
const act = (who: 'actor' | 'target', action: RequestAction) => (scene: Scene, paymentId: string) =>
  scene.failing.commands.act(actCommand(scene[who], action, paymentId));
const trusting = async (scene: Scene, paymentId: string) => {
  await scene.know(pair(scene.target, scene.actor, { trusts: true }));
  return charge(scene, paymentId);
};
const claimBy = (who: 'actor' | 'target') => (scene: Scene, paymentId: string) =>
  scene.failing.ledger.transfers.advance(
    paymentId,
    claimAction(scene[who].card.id, scene.failing.ledger.clock.nowUs()),
  );
const expire = ({ failing: { ledger } }: Scene, paymentId: string) =>
  ledger.transfers.advance(paymentId, expiryAction(null, 30 * US_PER_DAY, ledger.clock.nowUs() + 31 * US_PER_DAY));
const approve = act('target', 'approve');
const cancel = act('actor', 'cancel');

const FROM_BALANCE = ['PaymentCreated', 'FundsDebited', 'PaymentSettled', 'FundsCredited'];
const FROM_SOURCE = [
  'PaymentCreated',
  'FundingRequested',
  'FundsAdded+FundsDebited',
  'PaymentSettled',
  'FundsCredited',
];
const DECLINED = ['PaymentCreated', 'FundingRequested', 'DebitRefused'];
const CANCELLED = ['PaymentCancelled', 'FundsReturned', REFUND];
const RICH = [1_000, 1_000] as const;

/** Every mode's life, from its creation to its end. */
export const LIVES: readonly Life[] = [
  {
    mode: 'pay from the balance',
    cents: RICH,
    steps: FROM_BALANCE,
    run: pay,
    status: 'settled',
    balances: [900, 1_100],
  },
  { mode: 'pay from a source', actor: CARD, steps: FROM_SOURCE, run: pay, status: 'settled', balances: [0, 100] },
  {
    mode: 'pay without funds',
    steps: ['PaymentCreated', 'DebitRefused', 'PaymentFailed'],
    run: pay,
    status: 'failed',
    balances: [0, 0],
  },
  {
    mode: 'pay that the source declines',
    actor: DECLINED_CARD,
    steps: [...DECLINED, 'PaymentFailed'],
    run: pay,
    status: 'failed',
    balances: [0, 0],
  },
  {
    mode: 'held pay from the balance',
    cents: RICH,
    steps: ['PaymentCreated', 'FundsDebited'],
    run: ({ failing, actor }, paymentId) => failing.create(actor, anEmail(), { paymentId }),
    status: 'pending',
    balances: [900, 1_000],
  },
  {
    mode: 'held pay from a source',
    actor: CARD,
    steps: ['PaymentCreated', 'FundingRequested', 'FundsAdded+FundsDebited'],
    run: ({ failing, actor }, paymentId) => failing.create(actor, anEmail(), { paymentId }),
    status: 'pending',
    balances: [0, 0],
  },
  {
    mode: 'cancel of a held pay',
    cents: RICH,
    before: held,
    steps: CANCELLED,
    run: cancel,
    status: 'cancelled',
    balances: [1_000, 1_000],
  },
  {
    mode: 'cancel of a held pay from a source',
    actor: CARD,
    before: held,
    steps: ['PaymentCancelled', 'FundsReturned+FundsWithdrawn', REFUND],
    run: cancel,
    status: 'cancelled',
    balances: [0, 0],
  },
  {
    mode: 'expiry of a held pay',
    cents: RICH,
    before: held,
    steps: ['PaymentExpired', 'FundsReturned', REFUND],
    run: expire,
    status: 'expired',
    balances: [1_000, 1_000],
  },
  {
    mode: 'claim',
    cents: RICH,
    before: held,
    steps: ['PaymentSettled', 'FundsCredited'],
    run: claimBy('target'),
    status: 'settled',
    balances: [900, 1_100],
  },
  {
    mode: 'claim by the payer',
    cents: RICH,
    before: held,
    steps: CANCELLED,
    run: claimBy('actor'),
    status: 'cancelled',
    balances: [1_000, 1_000],
  },
  { mode: 'charge', steps: ['PaymentCreated'], run: charge, status: 'pending', balances: [0, 0] },
  {
    mode: 'denial',
    before: requested,
    steps: ['PaymentCancelled'],
    run: act('target', 'deny'),
    status: 'cancelled',
    balances: [0, 0],
  },
  {
    mode: 'expiry of a charge',
    before: requested,
    steps: ['PaymentExpired'],
    run: expire,
    status: 'expired',
    balances: [0, 0],
  },
  {
    mode: 'approval from the balance',
    cents: RICH,
    before: requested,
    steps: ['FundsDebited', 'PaymentSettled', 'FundsCredited'],
    run: approve,
    status: 'settled',
    balances: [1_100, 900],
  },
  {
    mode: 'approval from a source',
    target: CARD,
    before: requested,
    steps: ['FundingRequested', 'FundsAdded+FundsDebited', 'PaymentSettled', 'FundsCredited'],
    run: approve,
    status: 'settled',
    balances: [100, 0],
  },
  {
    mode: 'approval that the source declines',
    target: DECLINED_CARD,
    before: requested,
    steps: ['FundingRequested', 'FundingDeclined'],
    run: approve,
    status: 'pending',
    balances: [0, 0],
  },
  {
    mode: 'trusted charge',
    cents: RICH,
    steps: FROM_BALANCE,
    run: trusting,
    status: 'settled',
    balances: [1_100, 900],
  },
  {
    mode: 'trusted charge from a source',
    target: CARD,
    steps: FROM_SOURCE,
    run: trusting,
    status: 'settled',
    balances: [100, 0],
  },
  {
    mode: 'trusted charge without funds',
    steps: ['PaymentCreated', 'DebitRefused'],
    run: trusting,
    status: 'pending',
    balances: [0, 0],
  },
  {
    mode: 'trusted charge that the source declines',
    target: DECLINED_CARD,
    steps: DECLINED,
    run: trusting,
    status: 'pending',
    balances: [0, 0],
  },
];
