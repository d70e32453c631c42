import { forEachConcurrent } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import type { EventStore } from '@settle/event-store';
import type { ClientBase, Pool } from 'pg';
import { WHOLE_FUNDING, fundingStream, readLedgerEvent } from '../../storage/streams.js';
import { STEP_COLUMNS, stepFactOf, type StepColumns } from '../../storage/step-columns.js';
import { newTouchedFunding, type TouchedFunding } from './funding-fold.js';
import { evolveFunding, evolveFundingWallet, type FundingRef } from './funding-unit.js';

const STEPS_OF_FUNDING = {
  name: 'steps-of-funding',
  text: `select wallet_id, revision, ${STEP_COLUMNS} from ledger_entries where funding_id = $1 order by revision`,
};
const STEPS_OF_REVERSED_PAYMENT = {
  name: 'steps-of-reversed-payment',
  text: `select wallet_id, revision, ${STEP_COLUMNS} from ledger_entries where payment_id = $1 and wallet_id = $2
    order by revision`,
};

interface StepRow extends StepColumns {
  readonly wallet_id: string;
  readonly revision: number;
}

/** Returns whether to fold the line of a wallet at a revision. */
type Counts = (walletId: string, revision: number) => boolean;

/** Reads a funding stream up to a log position, and the journal's lines of it. */
export async function readFundingBefore(
  store: Pick<EventStore, 'readStream'>,
  database: Pick<ClientBase, 'query'>,
  ref: FundingRef,
  { position, counts = () => true }: { readonly position: number; readonly counts?: Counts },
): Promise<TouchedFunding> {
  const stored = await store.readStream(fundingStream(ref.kind, ref.id), WHOLE_FUNDING);
  const touched = newTouchedFunding(ref);
  for (const event of stored) {
    if (event.position >= position) break;
    const fact = readLedgerEvent(event);
    if (fact.kind === 'payment' || fact.kind === 'wallet') continue;
    touched.funding = evolveFunding(touched.funding, fact);
    touched.revision = fact.revision;
  }
  for (const row of await readLines(database, touched)) {
    if (counts(row.wallet_id, row.revision) && isOf(ref, row)) {
      touched.funding = evolveFundingWallet(touched.funding, stepFactOf(row));
    }
  }
  return touched;
}

async function readLines(database: Pick<ClientBase, 'query'>, { funding }: TouchedFunding): Promise<StepRow[]> {
  if (funding.kind === 'contradiction' || funding.state.status === 'none') return [];
  if (funding.kind === 'reversal') {
    const { paymentId, fundingId, userId } = funding.state.facts;
    const query =
      paymentId === null
        ? { ...STEPS_OF_FUNDING, values: [fundingId] }
        : { ...STEPS_OF_REVERSED_PAYMENT, values: [paymentId, userId] };
    return (await database.query<StepRow>(query)).rows;
  }
  return (await database.query<StepRow>({ ...STEPS_OF_FUNDING, values: [funding.id] })).rows;
}

/** Whether a line of the journal belongs to the stream; as `fundingRefsOf` says of its event. */
function isOf({ kind, id }: FundingRef, { event_type: type, repayment_key, reversal_id }: StepRow): boolean {
  if (kind === 'reversal') return reversal_id === id;
  const isOfWithdrawal = (type === 'FundsWithdrawn' || type === 'WithdrawalReversed') && repayment_key === null;
  return isOfWithdrawal === (kind === 'withdrawal');
}

/** Loads funding streams in their state before a batch of events. */
export class EarlierFunding {
  constructor(
    private readonly store: Pick<EventStore, 'readStream'>,
    private readonly pool: Pool,
  ) {}

  async loadBefore(refs: readonly FundingRef[], position: number): Promise<readonly TouchedFunding[]> {
    if (refs.length === 0) return [];
    const found: TouchedFunding[] = [];
    await forEachConcurrent(refs, LIMITS.payments.projectorReads, async (ref) => {
      found.push(await readFundingBefore(this.store, this.pool, ref, { position }));
    });
    return found;
  }
}
