import type { WalletEvent } from '@settle/payments-domain';
import { Findings } from '../../src/operators/findings.js';
import { rebuildReadModels } from '../../src/operators/rebuild.js';
import { snapshotsOf } from '../../src/operators/snapshots.js';
import { verifyLedger } from '../../src/operators/verify-ledger.js';
import { READ_MODEL_NAMES } from '../../src/read-models/registry.js';
import { newFundingEvent, newWalletEvent } from '../../src/storage/step-ids.js';
import { fundingStream, walletStream, type FundingEvent } from '../../src/storage/streams.js';
import { LedgerLab, type LabInstance } from '../ledger-lab/ledger-lab.fixture.js';
import { rebuildParts } from '../ledger-lab/rebuild-parts.fixture.js';

const OWNER = '700';
const atUs = 1_795_000_000_000_000;
const facts = { userId: OWNER, amountCents: 500, sourceId: 'card', booking: null, atUs };
const at = { balanceCents: 0, atUs, paymentId: null };
const inWallet = (fundingId: string) => ({ ...at, fundingId, amountCents: 500 });
const reversed = { reversalId: 'rv1', chargeKey: 'd1', fundingId: 'd1', amountCents: 500, paymentId: null };

describe('streams of deposits, withdrawals, reversals and contradictions', () => {
  let lab: LedgerLab;
  let instance: LabInstance;
  const revisions = new Map<string, number>();

  beforeAll(async () => {
    lab = await LedgerLab.open();
    instance = await lab.instance();
  });
  afterAll(() => lab.close());

  async function append(stream: string, event: ReturnType<typeof newFundingEvent>): Promise<void> {
    const expectedRevision = revisions.get(stream) ?? -1;
    await instance.store.append([{ stream, expectedRevision, events: [event] }]);
    revisions.set(stream, expectedRevision + 1);
    // Each event in a batch of its own: its earlier state is read from the streams and the journal.
    await lab.caughtUp();
  }
  const funding = (event: FundingEvent) => append(fundingStream(event.kind, event.id), newFundingEvent(event));
  const wallet = (event: WalletEvent) => append(walletStream(OWNER), newWalletEvent(OWNER, event));

  async function rowOf(id: string): Promise<unknown> {
    const { rows } = await lab.pool.query<object>('select kind, status, act, reason from funding where id = $1', [id]);
    return rows[0];
  }

  async function expectVerified(): Promise<void> {
    const client = await lab.pool.connect();
    const findings = new Findings();
    const { store } = instance;
    try {
      const parts = { store, client, atOneMoment: snapshotsOf(client), findings, say: () => undefined };
      await verifyLedger(parts);
      await verifyLedger({ ...parts, most: { wallets: 1, funding: 1 } });
    } finally {
      client.release(true);
    }
    expect(findings.list().filter(({ first }) => first !== null)).toEqual([]);
    await lab.expectInOrder();
  }

  it('given each prefix of a deposit, a withdrawal that returns and a reversal, when verified and rebuilt, then the tables are those of the events', async () => {
    await funding({ kind: 'deposit', id: 'old', event: { type: 'DepositAccepted', data: { userId: OWNER } } });
    await funding({
      kind: 'deposit',
      id: 'd1',
      event: { type: 'DepositRequested', data: { ...facts, beginBeforeUs: atUs + 30_000_000 } },
    });
    expect(await rowOf('d1')).toMatchObject({ kind: 'deposit', status: 'requested', act: 'ask' });
    await funding({ kind: 'deposit', id: 'd1', event: { type: 'DepositSettled', data: { providerId: 'ch', atUs } } });
    expect(await rowOf('d1')).toMatchObject({ status: 'settled', act: 'finish' });
    const added = { ...inWallet('d1'), chargeKey: 'd1', attempt: 0, sourceId: 'card', balanceCents: 500 };
    await wallet({ type: 'FundsAdded', data: added });
    expect(await rowOf('d1')).toMatchObject({ status: 'settled', act: null });

    const withdrawal = (event: Extract<FundingEvent, { kind: 'withdrawal' }>['event']) =>
      funding({ kind: 'withdrawal', id: 'w1', event });
    await withdrawal({ type: 'WithdrawalRequested', data: { ...facts, needsReview: false } });
    expect(await rowOf('w1')).toMatchObject({ kind: 'withdrawal', status: 'requested', act: 'finish' });
    await wallet({ type: 'FundsWithdrawn', data: { ...inWallet('w1'), sourceId: 'card' } });
    await withdrawal({ type: 'PayoutRequested', data: { key: 'w1', beginBeforeUs: atUs, atUs } });
    expect(await rowOf('w1')).toMatchObject({ status: 'sent', act: 'ask' });
    await expectVerified();
    expect((await lab.expectInOrder()).payoutCents).toBe(500);
    await withdrawal({ type: 'WithdrawalPaid', data: { providerId: 'po', atUs } });
    expect(await rowOf('w1')).toMatchObject({ status: 'paid', act: null });
    expect(await lab.expectInOrder()).toMatchObject({ payoutCents: 0, fundingCents: 0, walletCents: 0 });

    await funding({ kind: 'reversal', id: 'rv1', event: { type: 'ReversalOpened', data: { ...reversed, ...facts } } });
    expect(await rowOf('rv1')).toMatchObject({ kind: 'reversal', status: 'open', act: 'finish' });
    await wallet({ type: 'FundsReversed', data: { ...at, ...reversed, balanceCents: -500 } });
    expect(await rowOf('rv1')).toMatchObject({ status: 'open', act: null });
    await expectVerified();
    await funding({ kind: 'reversal', id: 'rv1', event: { type: 'ReversalClosed', data: { won: true, atUs } } });
    expect(await rowOf('rv1')).toMatchObject({ status: 'won', act: 'finish' });
    await wallet({ type: 'ReversalReturned', data: { ...at, ...reversed } });
    expect(await rowOf('rv1')).toMatchObject({ status: 'won', act: null });

    await withdrawal({ type: 'WithdrawalReturned', data: { code: 'other', atUs } });
    expect(await rowOf('w1')).toMatchObject({ status: 'returned', act: 'finish' });
    await wallet({ type: 'WithdrawalReversed', data: { ...inWallet('w1'), wasPaid: true, balanceCents: 500 } });
    expect(await rowOf('w1')).toMatchObject({ status: 'returned', act: null });
    await funding({
      kind: 'contradiction',
      id: 'd9',
      event: { type: 'ContradictionFound', data: { key: 'd9', contradiction: 'other_amount', version: 1, atUs } },
    });
    expect(await rowOf('d9')).toEqual({ kind: 'contradiction', status: 'open', act: 'review', reason: 'other_amount' });
    expect(await rowOf('old')).toBeUndefined();

    await expectVerified();
    const order = { models: READ_MODEL_NAMES, environment: 'live', acceptsDifferences: false } as const;
    const { comparisons } = await rebuildReadModels(rebuildParts(lab, instance.store), order);
    expect(comparisons.filter(({ differences }) => differences > 0)).toEqual([]);
    await expectVerified();
  });

  it('given a balance below zero that no reversal explains, when verified, then the wallet differs', async () => {
    const other = '701';
    const data = { ...at, reversalId: 'x', chargeKey: 'x', fundingId: 'x', amountCents: 1, balanceCents: -1 };
    const event = newWalletEvent(other, { type: 'FundsReversed', data });
    const debited = {
      ...event,
      type: 'FundsDebited',
      data: { ...at, paymentId: '9', amountCents: 1, feeCents: 0, balanceCents: -1 },
    };
    await instance.store.append([{ stream: walletStream(other), expectedRevision: -1, events: [debited] }]);
    await lab.caughtUp();
    const client = await lab.pool.connect();
    const findings = new Findings();
    const atOneMoment = snapshotsOf(client);
    await verifyLedger({ store: instance.store, client, atOneMoment, findings, say: () => undefined });
    client.release(true);
    const wallets = findings.list().find(({ kind }) => kind === 'wallets');
    expect(wallets?.first).toBe(`wallet ${other}, revision 0: does not follow from the line before it`);
  });
});
