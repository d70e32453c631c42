import type { Audience, Environment, Medium, PaymentAction, TargetType } from '@settle/contracts';

/**
 * How the money moves, fixed when a payment is created:
 * `transfer` pays a user, `hold` pays an address nobody has proven, `request` charges, `trusted` charges a friend
 * who settles this actor's charges at once, `refund` records that a held pay went back, `scripted` is one with the
 * sandbox's test user: it ends as its amount says and moves no money.
 */
export type PaymentMode = 'transfer' | 'hold' | 'request' | 'trusted' | 'refund' | 'scripted';

/** To whom. `userId` is set when the person was known at creation, else `address`, as its sender spelt it. */
export interface EventTarget {
  readonly type: TargetType;
  readonly userId: string | null;
  readonly address: string | null;
}

/** Times are microseconds since 1970, money is positive cents. */
export interface PaymentCreated {
  readonly type: 'PaymentCreated';
  readonly data: {
    readonly mode: PaymentMode;
    readonly action: PaymentAction;
    readonly actorId: string;
    readonly target: EventTarget;
    readonly amountCents: number;
    readonly feeCents: number;
    readonly note: string;
    readonly audience: Audience;
    readonly medium: Medium;
    readonly appId: string;
    readonly environment: Environment;
    readonly commandId: string;
    /** W3C Trace Context of the command, when it was traced; whoever is told of the payment can find its trace. */
    readonly traceparent?: string;
    /** The payment whose money came back; only in mode `refund`. */
    readonly refundOf: string | null;
    readonly atUs: number;
  };
}

/** `targetUserId` names who the target turned out to be: the claimant of a hold, the approver of a request. */
export interface PaymentSettled {
  readonly type: 'PaymentSettled';
  readonly data: { readonly targetUserId: string; readonly atUs: number };
}

export interface PaymentFailed {
  readonly type: 'PaymentFailed';
  readonly data: { readonly reason: 'insufficient_funds'; readonly atUs: number };
}

/** `refundId` is the refund payment that gives a hold back; `targetUserId` who had the address by then, if anybody. */
interface EndedWithout {
  readonly refundId: string | null;
  readonly targetUserId: string | null;
  readonly atUs: number;
}

export interface PaymentExpired {
  readonly type: 'PaymentExpired';
  readonly data: EndedWithout;
}

export type CancelReason = 'denied' | 'cancelled_by_actor' | 'claimed_by_payer';

export interface PaymentCancelled {
  readonly type: 'PaymentCancelled';
  readonly data: EndedWithout & { readonly reason: CancelReason };
}

/** All that can ever stand in a payment's stream. */
export type PaymentEvent = PaymentCreated | PaymentSettled | PaymentFailed | PaymentExpired | PaymentCancelled;
