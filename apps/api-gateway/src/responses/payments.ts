import {
  AUDIENCES,
  MEDIUMS,
  PAYMENT_ACTIONS,
  PAYMENT_STATUSES,
  TARGET_TYPES,
  formatIsoDateUs,
  formatAmount,
  type CreatedPayment,
  type PaymentsPage,
  type PaymentView,
  type TargetView,
} from '@settle/contracts';
import { datetime, id, money, nullable, orNull, record, ref, text, type Schema } from '../schemas/schema.js';
import { serializeParty } from './users.js';

export const EXAMPLE_PAYMENT_ID = '2235351801266466090';

const paymentFields = {
  id: id('The payment.', EXAMPLE_PAYMENT_ID),
  status: { type: 'string', enum: PAYMENT_STATUSES, description: 'All but `pending` are final.' },
  action: { type: 'string', enum: PAYMENT_ACTIONS, description: '`pay` sends money, `charge` asks for it.' },
  amount: money('Positive for a pay, negative for a charge.', 12.5),
  note: text('As sent, trimmed.', { examples: ['Lunch'] }),
  audience: {
    type: 'string',
    enum: AUDIENCES,
    description: 'Display only: it gives no other user access to the payment.',
  },
};
const mediumField = { type: 'string', enum: MEDIUMS, description: 'Through what the payment was made.' };
const partiesFields = {
  date_created: datetime('When it was made.'),
  date_completed: orNull(datetime('When it ended; null while it is pending.')),
  actor: { ...ref('Party'), description: 'Who made it.' },
  target: ref('Target'),
};

/** Rules between the fields of every payment. */
const PAYMENT_RULES = [
  {
    if: { properties: { action: { const: 'pay' } } },
    then: { properties: { amount: { exclusiveMinimum: 0 } } },
    else: { properties: { amount: { exclusiveMaximum: 0 } } },
  },
  {
    if: { properties: { status: { const: 'pending' } } },
    then: { properties: { date_completed: { type: 'null' } } },
    else: { properties: { date_completed: { type: 'string' } } },
  },
];

const onlySet = (name: string): Schema => ({
  title: `${name} is set`,
  properties: Object.fromEntries(
    ['user', 'email', 'phone'].map((field) => [field, field === name ? { not: { type: 'null' } } : { type: 'null' }]),
  ),
});

export const PAYMENT_SCHEMAS: Readonly<Record<string, Schema>> = {
  Target: {
    ...record('To whom the payment went: exactly one of `user`, `email` and `phone` is set.', {
      type: { type: 'string', enum: TARGET_TYPES, description: 'How the actor named the target.' },
      email: nullable(text('The address of the payee, until a user verifies it.'), null),
      phone: nullable(text('The phone number of the payee, until a user verifies it.'), null),
      user: { ...orNull(ref('Party')), description: 'Null until a user verifies the address.' },
    }),
    oneOf: [onlySet('user'), onlySet('email'), onlySet('phone')],
  },
  ListedPayment: {
    ...record('A payment in a list and after PUT: without `medium`, `fee` and `refund`.', {
      ...paymentFields,
      ...partiesFields,
    }),
    allOf: PAYMENT_RULES,
  },
  Payment: {
    ...record('A payment.', {
      ...paymentFields,
      medium: mediumField,
      ...partiesFields,
      fee: nullable(money('What the payer pays on top of the amount; null when there is no fee.', 0.31), null),
      refund: { ...orNull(ref('Payment')), description: 'The payment by which a held pay went back to its payer.' },
    }),
    allOf: PAYMENT_RULES,
  },
};

/** Serializes an entry of a list, and the result of PUT: the interface leaves out fee, refund and medium there. */
export function serializeListedPayment(payment: PaymentView): object {
  return {
    id: payment.id,
    status: payment.status,
    action: payment.action,
    amount: signedAmount(payment),
    note: payment.note,
    audience: payment.audience,
    date_created: formatIsoDateUs(payment.createdAtUs),
    date_completed: completedAt(payment),
    actor: serializeParty(payment.actor),
    target: serializeTarget(payment.target),
  };
}

const entriesByPage = new WeakMap<PaymentsPage, string>();

/**
 * Returns the entries of a list as JSON. A page is serialized once: payments-service may answer with the same object
 * again, which never changes.
 */
export function listedPaymentsJson(page: PaymentsPage): string {
  const kept = entriesByPage.get(page);
  if (kept !== undefined) return kept;
  const json = JSON.stringify(page.payments.map(serializeListedPayment));
  entriesByPage.set(page, json);
  return json;
}

/** Serializes a payment with all of its fields. */
export function serializePayment(payment: PaymentView): object {
  return {
    id: payment.id,
    status: payment.status,
    action: payment.action,
    amount: signedAmount(payment),
    note: payment.note,
    audience: payment.audience,
    medium: payment.medium,
    date_created: formatIsoDateUs(payment.createdAtUs),
    date_completed: completedAt(payment),
    actor: serializeParty(payment.actor),
    target: serializeTarget(payment.target),
    fee: payment.feeCents === null ? null : formatAmount(payment.feeCents),
    refund: payment.refund === null ? null : serializePayment(payment.refund),
  };
}

/** Serializes the data of POST /payments. */
export function serializeCreatedPayment(created: CreatedPayment): object {
  return { balance: formatAmount(created.balanceCents), payment: serializePayment(created.payment) };
}

function signedAmount(payment: PaymentView): number {
  return formatAmount(payment.action === 'charge' ? -payment.amountCents : payment.amountCents);
}

function completedAt(payment: PaymentView): string | null {
  return payment.completedAtUs === null ? null : formatIsoDateUs(payment.completedAtUs);
}

function serializeTarget(target: TargetView): object {
  return {
    type: target.type,
    email: target.email,
    phone: target.phone,
    user: target.user === null ? null : serializeParty(target.user),
  };
}
