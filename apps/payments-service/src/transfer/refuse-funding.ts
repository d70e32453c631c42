import { SettleError } from '@settle/contracts';
import type { FundingGate } from '../provider/funding-gate.js';
import type { TransferProgress } from './transfer-progress.js';

/**
 * Whether the provider moves real money, and whether a command may begin, and may end, funding there now; otherwise it is
 * `service_unavailable`.
 */
export type FundingAdmission = Pick<FundingGate, 'isLive' | 'mayBegin' | 'mayEnd'>;

const ENDS: readonly string[] = ['PaymentCancelled', 'PaymentExpired'];

/**
 * Refuses appends of a payment that must not happen now. While the gate is closed for beginnings no charge is requested;
 * while it is closed for ends no user or time ends a payment whose charge is open or is to be repaid. What the provider
 * answers is stored in any case. Error: `service_unavailable`; nothing is stored.
 * @param gate null: no provider is set
 */
export function refuseUnlessAdmitted(
  gate: FundingAdmission | null,
  { unit, transfer }: Pick<TransferProgress, 'unit' | 'transfer'>,
): void {
  if (gate === null || (gate.mayBegin() && gate.mayEnd())) return;
  const types = unit.flatMap(({ events }) => events.map(({ type }) => type));
  if (types.includes('FundingRequested') && !gate.mayBegin()) {
    throw new SettleError('service_unavailable', 'The payment provider cannot be used yet. Send it again shortly.');
  }
  if (gate.mayEnd() || !types.some((type) => ENDS.includes(type))) return;
  const isOpen = [...transfer.steps.values()].some(({ isAwaitingSource }) => isAwaitingSource);
  if (isOpen || types.includes('RepaymentRequested')) {
    throw new SettleError(
      'service_unavailable',
      'What the payment provider did before a restore is read again. Send it again shortly.',
    );
  }
}
