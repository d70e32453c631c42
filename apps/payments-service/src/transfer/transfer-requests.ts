import type { PaymentCreated, StepContext } from '@settle/payments-domain';
import type { FundingResult } from './funding.js';
import type { LoadRequest } from './transfer-loader.js';
import type { NextWait, TransferAction, TransferProgress } from './transfer-progress.js';

/** A payment to create. */
export interface NewPayment {
  readonly paymentId: string;
  readonly created: PaymentCreated;
  /** Verified funding source of the payer at creation. */
  readonly sourceId: string | null;
  /** Unix time in ms after which nothing is stored: the caller may already have been answered that nothing was. */
  readonly giveUpAtMs: number;
  /** W3C `traceparent` of the enclosing span; absent if the command is not traced. */
  readonly traceparent?: string | undefined;
}

export interface AdvanceRequest extends LoadRequest {
  readonly action: TransferAction | null;
  readonly fundingResult: FundingResult | null;
  /** Unix time in ms after which the action is not applied: its caller may already have been answered. */
  readonly giveUpAtMs: number;
  readonly traceparent: string | undefined;
}

/** An attempt to decide and append. */
export type Tried =
  /** Something has changed since it was read: read it again. */
  | { readonly isOutdated: true; readonly position: null }
  | {
      readonly isOutdated: false;
      readonly progress: TransferProgress;
      readonly wait: NextWait;
      readonly context: StepContext;
      /** Log position that shows what is stored; null after a conflict. */
      readonly position: number | null;
      /** Whether the action has been decided, and its refusal. */
      readonly isDue?: boolean;
      readonly refusal?: unknown;
    };

export const OUTDATED: Tried = { isOutdated: true, position: null };

export type AdvanceOptions = Partial<Omit<AdvanceRequest, 'action'>>;

export const NO_REQUEST: AdvanceRequest = {
  action: null,
  walletIds: [],
  fundingResult: null,
  giveUpAtMs: Infinity,
  position: 0,
  requestedWalletId: null,
  traceparent: undefined,
};
