import type { StepFact } from '@settle/payments-domain';

/** The columns of the journal from which steps are rebuilt. */
export const STEP_COLUMNS =
  'event_type, attempt, source_id, charge_key, begin_before_us, repayment_key, reversal_id, refusal_reason' as const;

/** As many nulls, for a row that is no line of the journal. */
export const NO_STEP_COLUMNS = STEP_COLUMNS.replaceAll(/\w+/g, 'null');

export interface StepColumns {
  readonly event_type: StepFact['type'];
  readonly attempt: number | null;
  readonly source_id: string | null;
  readonly charge_key: string | null;
  /** A bigint as the database driver returns it. */
  readonly begin_before_us: string | null;
  readonly repayment_key: string | null;
  readonly reversal_id: string | null;
  readonly refusal_reason: NonNullable<StepFact['data']['reason']> | null;
}

/** Returns the wallet event of a journal line, as far as steps depend on it. */
export function stepFactOf(row: StepColumns): StepFact {
  const { event_type: type, charge_key, begin_before_us, repayment_key, reversal_id, refusal_reason } = row;
  const ofRepayment = type === 'RepaymentRequested' ? 'key' : 'repaymentKey';
  const data = {
    ...(charge_key !== null && { chargeKey: charge_key }),
    ...(begin_before_us !== null && { beginBeforeUs: Number(begin_before_us) }),
    ...(repayment_key !== null && { [ofRepayment]: repayment_key }),
    ...(reversal_id !== null && { reversalId: reversal_id }),
    ...(refusal_reason !== null && { reason: refusal_reason }),
  };
  if (type !== 'FundingRequested') return { type, data };
  return { type, data: { ...data, attempt: row.attempt ?? 0, sourceId: row.source_id ?? '' } };
}
