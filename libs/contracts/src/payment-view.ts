import type { Audience, UserCard } from './users-state.js';

export const PAYMENT_STATUSES = ['settled', 'pending', 'failed', 'expired', 'cancelled'] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

export const PAYMENT_ACTIONS = ['pay', 'charge'] as const;
export type PaymentAction = (typeof PAYMENT_ACTIONS)[number];

export const MEDIUMS = ['ios', 'android', 'web', 'api'] as const;
export type Medium = (typeof MEDIUMS)[number];

export const ENVIRONMENTS = ['live', 'sandbox'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

export const REQUEST_ACTIONS = ['approve', 'deny', 'cancel'] as const;
export type RequestAction = (typeof REQUEST_ACTIONS)[number];

export const TARGET_TYPES = ['user', 'email', 'phone'] as const;
export type TargetType = (typeof TARGET_TYPES)[number];

/** A person or address a payment went to. Exactly one of `user`, `email`, `phone` is set. */
export interface TargetView {
  readonly type: TargetType;
  readonly user: UserCard | null;
  readonly email: string | null;
  readonly phone: string | null;
}

/** A payment as its two parties see it. Times are microseconds since 1970, `amountCents` is positive. */
export interface PaymentView {
  readonly id: string;
  readonly status: PaymentStatus;
  readonly action: PaymentAction;
  readonly amountCents: number;
  readonly feeCents: number | null;
  readonly note: string;
  readonly audience: Audience;
  readonly medium: Medium;
  readonly createdAtUs: number;
  readonly completedAtUs: number | null;
  readonly actor: UserCard;
  readonly target: TargetView;
  readonly refund: PaymentView | null;
}
