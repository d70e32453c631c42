export const PAYMENT_STATUSES = ['settled', 'pending', 'failed', 'expired', 'cancelled'] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

export const PAYMENT_ACTIONS = ['pay', 'charge'] as const;
export type PaymentAction = (typeof PAYMENT_ACTIONS)[number];

export const MEDIUMS = ['ios', 'android', 'web', 'api'] as const;
export type Medium = (typeof MEDIUMS)[number];

export const ENVIRONMENTS = ['live', 'sandbox'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

/** Parties that may act on an existing payment, as texts name them. */
export const ACTING_PARTIES = { target: 'the target of a charge', actor: 'the actor' } as const;
export type ActingParty = keyof typeof ACTING_PARTIES;

/**
 * The actions on an existing payment, `PUT /payments/:payment`, each with the party that may take it. Types,
 * checks, the API document, page texts and messages derive from this table.
 */
export const PARTY_BY_ACTION = {
  approve: 'target',
  deny: 'target',
  cancel: 'actor',
} as const satisfies Readonly<Record<string, ActingParty>>;
export type RequestAction = keyof typeof PARTY_BY_ACTION;
export const REQUEST_ACTIONS = Object.keys(PARTY_BY_ACTION) as readonly RequestAction[];

export const TARGET_TYPES = ['user', 'email', 'phone'] as const;
export type TargetType = (typeof TARGET_TYPES)[number];
