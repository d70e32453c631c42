import {
  ACTING_PARTIES,
  AUDIENCES,
  DEMO_USERS,
  PARTY_BY_ACTION,
  REQUEST_ACTIONS,
  SettleError,
  enumerate,
  type ActingParty,
  type CreatePayment,
  type PaymentTarget,
} from '@settle/contracts';
import { formatCents } from '@settle/payments-domain';
import { ID_PATTERN, inAnyCase } from '../schemas/patterns.js';
import type { Schema } from '../schemas/schema.js';
import {
  amountRule,
  isBlank,
  readAudience,
  readEmailTarget,
  readNote,
  readPhoneTarget,
  readRequestAction,
  readUserIdTarget,
} from './parameter-rules.js';
import { readParameters, type ParameterTable } from './parameter-table.js';
import type { RequestParameters } from './request-parameters.js';

/** The request of POST /payments. `amountCents` is positive; `action` gives the direction. */
export type PaymentRequest = Pick<CreatePayment, 'target' | 'note' | 'amountCents' | 'action' | 'audience'>;

/** The parameters of which a request has exactly one. */
const TARGETS = { user_id: 'to a user', email: 'to an e-mail address', phone: 'to a phone number' };

/** The schema of a body in which exactly one of the targets is set. */
export const ONE_TARGET: readonly Schema[] = Object.entries(TARGETS).map(([name, title]) => ({
  title,
  required: [name],
  properties: { [name]: { not: { type: 'null' } } },
}));

export const EXAMPLE_PAYMENT = { user_id: DEMO_USERS.bob.id, note: 'Lunch', amount: '12.50', audience: 'private' };

export type PaymentParameters = ReturnType<typeof paymentParameters>;

/** The parameters of POST /payments. @param maxAmountCents the operator's limit */
export const paymentParameters = (maxAmountCents: number) =>
  ({
    user_id: {
      read: readUserIdTarget,
      description: 'The target: a user.',
      schema: { type: ['string', 'null'], pattern: ID_PATTERN },
    },
    email: {
      read: readEmailTarget,
      description: 'The target: an e-mail address, compared without regard to case.',
      schema: { type: ['string', 'null'] },
    },
    phone: {
      read: readPhoneTarget,
      description: 'The target: a US phone number in any spelling, such as `415 555 0101`.',
      schema: { type: ['string', 'number', 'null'] },
    },
    note: {
      read: readNote,
      isRequired: true,
      description: 'Counted in characters after trimming. Neither U+202A to U+202E nor U+2066 to U+2069.',
      schema: { type: 'string', minLength: 1, maxLength: 280 },
    },
    amount: {
      read: amountRule(maxAmountCents),
      isRequired: true,
      description: `A decimal, negative for a charge. Not zero, at most two fraction digits that are not zero, at most ${formatCents(maxAmountCents)} either way. A JSON number is judged by its text: no exponent. Nothing is rounded.`,
      schema: {
        type: ['number', 'string'],
        minimum: -maxAmountCents / 100,
        maximum: maxAmountCents / 100,
        multipleOf: 0.01,
        not: { const: 0 },
        pattern: '^-?(0|[1-9][0-9]*)(\\.[0-9]+)?$',
      },
    },
    audience: {
      read: readAudience,
      description: `One of ${AUDIENCES.join(', ')}, compared without regard to case. Without it, or empty, the actor's own default, which begins as \`private\`.`,
      schema: {
        type: ['string', 'null'],
        pattern: `^(${AUDIENCES.map(inAnyCase).join('|')})?$`,
        examples: [...AUDIENCES],
      },
    },
  }) as const satisfies ParameterTable;

/** Reads the parameters of POST /payments. Errors: those of the catalogue with status 400. */
export function readPaymentRequest(parameters: RequestParameters, table: PaymentParameters): PaymentRequest {
  refuseTargets(parameters);
  const { user_id: userId, email, phone, amount, note, audience } = readParameters(parameters, table);
  return {
    target: targetOf(userId, email, phone),
    note,
    audience,
    amountCents: Math.abs(amount),
    action: amount < 0 ? 'charge' : 'pay',
  };
}

/** The parameters of PUT /payments/:payment. */
export const ACTION_PARAMETERS = {
  action: {
    read: readRequestAction,
    isRequired: true,
    description: describeParties(),
    schema: { type: 'string', enum: REQUEST_ACTIONS },
  },
} as const satisfies ParameterTable;

/** Describes which party may take which action. */
function describeParties(): string {
  const parties = [...new Set(Object.values<ActingParty>(PARTY_BY_ACTION))].map((party, index) => {
    const actions = REQUEST_ACTIONS.filter((action) => PARTY_BY_ACTION[action] === party);
    const verb = actions.length > 1 ? ' are' : ' is';
    return `${enumerate(actions.map((action) => `\`${action}\``))}${index === 0 ? verb : ''} for ${ACTING_PARTIES[party]}`;
  });
  return `${parties.join(', ')}.`;
}

/** Errors: `missing_parameter`, `invalid_target` unless exactly one target is present. */
function refuseTargets(parameters: RequestParameters): void {
  let count = 0;
  for (const name in TARGETS) if (!isBlank(parameters[name])) count += 1;
  if (count === 0) throw new SettleError('missing_parameter', 'Send one of user_id, email and phone.');
  if (count > 1) throw new SettleError('invalid_target', 'Send only one of user_id, email and phone.');
}

function targetOf(userId: string | null, email: string | null, phone: string | null): PaymentTarget {
  if (userId !== null) return { type: 'user', value: userId };
  return email === null ? { type: 'phone', value: phone ?? '' } : { type: 'email', value: email };
}
