import type { Audience, Environment, PaymentTerms, TargetType } from '@settle/contracts';
import type { FundingRefusal } from './funding-events.js';

/**
 * How the money moves, fixed when a payment is created: `transfer` pays a user, `hold` pays an address that no user has
 * verified, `request` charges, `trusted` charges a friend who settles this actor's charges at once, `refund` records
 * that a held pay was returned, `scripted` is a payment with the sandbox's test user: its amount decides its end, and
 * it moves no money.
 */
export type PaymentMode = 'transfer' | 'hold' | 'request' | 'trusted' | 'refund' | 'scripted';

/**
 * Target of a payment. `userId` is set if the user was known at creation, otherwise `address`, as the sender spelled
 * it.
 */
export interface EventTarget {
  readonly type: TargetType;
  readonly userId: string | null;
  readonly address: string | null;
}

/** Times are microseconds since 1970; amounts are positive cents. */
export interface PaymentCreated {
  readonly type: 'PaymentCreated';
  readonly data: PaymentTerms & {
    readonly mode: PaymentMode;
    readonly actorId: string;
    readonly target: EventTarget;
    readonly feeCents: number;
    readonly audience: Audience;
    readonly appId: string;
    readonly environment: Environment;
    readonly commandId: string;
    /** W3C Trace Context of the command, if it was traced; consumers of the public event can find its trace. */
    readonly traceparent?: string;
    /** Payment whose money was returned; only in mode `refund`. */
    readonly refundOf: string | null;
    readonly atUs: number;
  };
}

/**
 * `targetUserId` is the final target: the claimant of a held pay, the approver of a request. `isFromSource`: a source at
 * the provider paid the debit; the credit carries the mark on.
 */
export interface PaymentSettled {
  readonly type: 'PaymentSettled';
  readonly data: { readonly targetUserId: string; readonly isFromSource?: true; readonly atUs: number };
}

/** `refundId` is the payment that refunds a held pay; `targetUserId` the owner of the address at that time, if any. */
interface EndedWithout {
  readonly refundId: string | null;
  readonly targetUserId: string | null;
  readonly atUs: number;
}

export type CancelReason = 'denied' | 'cancelled_by_actor' | 'claimed_by_payer';

/** `insufficient_funds`: the balance did not cover it and no source was charged. The others: the charge brought no money. */
export type FailReason = 'insufficient_funds' | FundingRefusal['reason'];

/** All events of a payment's stream. */
export type PaymentEvent =
  | PaymentCreated
  | PaymentSettled
  | {
      readonly type: 'PaymentFailed';
      readonly data: { readonly reason: FailReason; readonly atUs: number };
    }
  | { readonly type: 'PaymentExpired'; readonly data: EndedWithout }
  | { readonly type: 'PaymentCancelled'; readonly data: EndedWithout & { readonly reason: CancelReason } };

/**
 * Returns the name of an event within its payment, from which its id is computed; stored ids depend on it. Different events
 * must have different ids: at one revision an equal id passes for the same event, and its writer would
 * report a state that is not stored. Both users see the time, so it is part of the id.
 */
export function paymentEventName({ type, data }: PaymentEvent): string {
  switch (type) {
    case 'PaymentCreated':
      return `created/${data.commandId}/${data.atUs}`;
    case 'PaymentSettled':
      return `settled/${data.targetUserId}/${data.atUs}`;
    case 'PaymentFailed':
      return `failed/${data.atUs}`;
    case 'PaymentExpired':
      return `expired/${data.refundId}/${data.targetUserId}/${data.atUs}`;
    case 'PaymentCancelled':
      return `cancelled/${data.reason}/${data.refundId}/${data.targetUserId}/${data.atUs}`;
  }
}
