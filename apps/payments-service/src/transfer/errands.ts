import { SettleError } from '@settle/contracts';
import {
  fundingAnswer,
  returnAfterRepayment,
  type ExistingPayment,
  type Transfer,
  type WalletCommand,
} from '@settle/payments-domain';
import type { FundingSources } from './funding-sources.js';
import type { Stop, TransferDraft } from './transfer-draft.js';

type Errand = Extract<Stop, { kind: 'charge' | 'repay' }>;

/** What a funding source said, to be taken into the wallet that asked. */
export interface Answer {
  readonly kind: Errand['kind'];
  readonly walletId: string;
  readonly attempt: number;
  readonly isYes: boolean;
}

/** Asks funding sources, outside any wallet's turn, and takes their answers into the transfer. */
export class Errands {
  constructor(private readonly sources: FundingSources) {}

  /** Error: `outcome_unknown` when the source does not answer; whoever brings the payment on asks again. */
  async run(paymentId: string, { kind, key, order, walletId }: Errand): Promise<Answer> {
    const said = await (kind === 'charge' ? this.sources.charge(key, order) : this.sources.repay(key, order));
    if (said === 'unknown') {
      throw new SettleError('outcome_unknown', `The funding source has not answered. Read payment ${paymentId} later.`);
    }
    return { kind, walletId, attempt: order.attempt, isYes: said === 'approved' };
  }

  /** Adds the answer's appends, unless somebody took it in meanwhile. */
  take(draft: TransferDraft, answer: Answer, atUs: number): void {
    const { transfer } = draft;
    if (transfer.payment.status === 'none') return;
    const command = commandOf({ ...transfer, payment: transfer.payment }, answer, atUs);
    if (command !== null) draft.command(answer.walletId, command);
  }
}

function commandOf(
  transfer: Transfer & { payment: ExistingPayment },
  { kind, walletId, attempt, isYes }: Answer,
  atUs: number,
): WalletCommand | null {
  if (kind === 'charge') return fundingAnswer(transfer, walletId, { attempt, isApproved: isYes, atUs });
  return returnAfterRepayment(transfer, walletId, { isRepaid: isYes, atUs });
}
