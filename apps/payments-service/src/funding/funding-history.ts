import { NO_STREAM, START, type EventStore, type StoredEvent } from '@settle/event-store';
import {
  NO_FUNDING_STEPS,
  evolveFundingSteps,
  heldCentsOf,
  type FundingSteps,
  type StepFact,
  type WalletEvent,
} from '@settle/payments-domain';
import type { Pool } from 'pg';
import { NO_STEP_COLUMNS, STEP_COLUMNS, stepFactOf, type StepColumns } from '../storage/step-columns.js';
import {
  evolveFunding,
  newFundingState,
  type FundingRef,
  type FundingState,
} from '../read-models/funding/funding-unit.js';
import { SourceMoney } from '../read-models/funding/source-money.js';
import { WHOLE_FUNDING, fundingStream, readLedgerEvent } from '../storage/streams.js';
import type { WalletTail } from '../transfer/transfer-progress.js';
import { readWalletAfter } from '../transfer/read-wallet.js';
import type { StoredWallet } from '../transfer/wallet-cache.js';

/** A deposit, withdrawal or reversal as the store and the journal have it, both read to their ends. */
export interface FundingHistory {
  readonly funding: Exclude<FundingState, { kind: 'contradiction' }>;
  /** Newest revision of its stream. */
  readonly revision: number;
  /** Log position of the newest event of its stream; `START` if it has none. */
  readonly position: number;
  /** The owner's wallet; null before the stream's first event. */
  readonly wallet: StoredWallet | null;
  /** Money in that wallet that a withdrawal whose money is still there cannot take yet; of every other stream 0. */
  readonly heldCents: number;
}

/** The wallet's events of a payment's charges, or of a deposit's or withdrawal's. One of the two ids is null. */
export interface WalletPart {
  readonly walletId: string;
  readonly paymentId: string | null;
  readonly fundingId: string | null;
  /** Money that came from a source after this time is held; absent: that is not of interest. */
  readonly heldSinceUs?: number;
}

/** A line of the journal, or (`event_type` null) the revision up to which the journal has the wallet. */
interface JournalRow extends Omit<StepColumns, 'event_type'> {
  readonly revision: number;
  readonly event_type: StepFact['type'] | null;
}

/** One snapshot, so that no line of the wallet lies between the two parts. */
const JOURNAL_OF_FUNDING = {
  name: 'journal-of-funding',
  text: `
    select revision, ${STEP_COLUMNS} from ledger_entries
      where wallet_id = $1 and (payment_id = $2 or funding_id = $3)
    union all
    select coalesce((select max(revision) from ledger_entries where wallet_id = $1), -1),
      ${NO_STEP_COLUMNS}
    order by revision`,
};

/** Reads deposits, withdrawals and reversals: the stream first, then the wallet, which may rest on an event of the stream. */
export class FundingHistoryReader {
  readonly #money: SourceMoney;

  constructor(
    private readonly store: Pick<EventStore, 'readStream'>,
    private readonly pool: Pool,
    private readonly emptyWallet: WalletTail,
    /** Returns since when money from a source cannot be withdrawn. */
    private readonly heldSinceUs: () => number,
  ) {
    this.#money = new SourceMoney(pool);
  }

  /** Errors: the store's and the database's. */
  async read(ref: FundingRef): Promise<FundingHistory> {
    const stored = await this.store.readStream(fundingStream(ref.kind, ref.id), WHOLE_FUNDING);
    const funding = stored.reduce(withEvent, newFundingState(ref));
    if (funding.kind === 'contradiction') throw new RangeError('A contradiction has no wallet');
    const newest = stored.at(-1);
    const [revision, position] = [newest?.revision ?? NO_STREAM, newest?.position ?? START];
    const { state } = funding;
    if (state.status === 'none' || state.status === 'accepted')
      return { funding, revision, position, wallet: null, heldCents: 0 };
    const { userId: walletId } = state.facts;
    const ofReversal = funding.kind === 'reversal' && 'paymentId' in state.facts ? state.facts : null;
    const part = ofReversal ?? { paymentId: null, fundingId: ref.id };
    const hold = funding.kind === 'withdrawal' && state.status === 'requested' && { heldSinceUs: this.heldSinceUs() };
    const { steps, ...read } = await this.readWallet({ ...part, ...hold, walletId }, (event) => isOf(ref, event));
    return { funding: { ...funding, steps }, revision, position, ...read };
  }

  /**
   * Reads a wallet to its end, and its steps of a payment's charges or of a deposit or withdrawal. A step that is appended
   * at the revision read is therefore not among the earlier ones.
   */
  async readWallet(
    { walletId, paymentId, fundingId, heldSinceUs = Infinity }: WalletPart,
    isIncluded: (event: WalletEvent | StepFact) => boolean = () => true,
  ): Promise<{ steps: FundingSteps; wallet: StoredWallet; heldCents: number }> {
    const { rows } = await this.pool.query<JournalRow>({
      ...JOURNAL_OF_FUNDING,
      values: [walletId, paymentId, fundingId],
    });
    const knownRevision = rows.find(({ event_type }) => event_type === null)?.revision ?? NO_STREAM;
    let steps = NO_FUNDING_STEPS;
    for (const row of rows) {
      if (row.event_type === null) continue;
      const fact = stepFactOf({ ...row, event_type: row.event_type });
      if (isIncluded(fact)) steps = evolveFundingSteps(steps, fact);
    }
    // Up to the revision that the journal had: the later events are added below.
    let heldCents =
      heldSinceUs === Infinity ? 0 : await this.#money.readHeldCents(walletId, heldSinceUs, knownRevision);
    const range = { walletId, knownRevision, emptyWallet: this.emptyWallet };
    const wallet = await readWalletAfter(this.store, range, (event) => {
      heldCents += heldCentsOf(event, heldSinceUs);
      const isOfPart = ownsEvent({ paymentId, fundingId }, event) && isIncluded(event);
      if (isOfPart) steps = evolveFundingSteps(steps, event);
    });
    return { steps, wallet, heldCents };
  }
}

function withEvent(funding: FundingState, stored: StoredEvent): FundingState {
  const fact = readLedgerEvent(stored);
  return fact.kind === 'payment' || fact.kind === 'wallet' ? funding : evolveFunding(funding, fact);
}

function ownsEvent({ paymentId, fundingId }: Omit<WalletPart, 'walletId'>, { data }: WalletEvent): boolean {
  if (paymentId !== null) return data.paymentId === paymentId;
  return fundingId !== null && 'fundingId' in data && data.fundingId === fundingId;
}

/** A deposit and a withdrawal may have the same id. Of a reversal every step of its charge counts. */
function isOf({ kind }: FundingRef, { type, data }: WalletEvent | StepFact): boolean {
  if (kind === 'reversal') return true;
  const hasRepayment = 'repaymentKey' in data && data.repaymentKey !== undefined;
  const isOfWithdrawal = (type === 'FundsWithdrawn' || type === 'WithdrawalReversed') && !hasRepayment;
  return isOfWithdrawal === (kind === 'withdrawal');
}
