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
