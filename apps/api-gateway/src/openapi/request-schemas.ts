import { LIMITS } from '@settle/config';
import { EXAMPLE_PAYMENT, ONE_TARGET, ACTION_PARAMETERS, paymentParameters } from '../parameters/payment-request.js';
import type { ParameterTable } from '../parameters/parameter-table.js';
import { ref, type Schema } from '../schemas/schema.js';

const inPath = (name: string, description: string): Schema => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: ref('Id'),
});

export const USER_ID = inPath('user_id', 'Any user.');
export const PAYMENT_ID = inPath('payment', 'A payment of which the user is a party, or the refund of one.');

/** Makes sending a request twice safe. */
export const IDEMPOTENCY_KEY: Schema = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'A request is executed once per key: a repeat within 24 hours gets the first response. A different request with the same key is refused.',
  schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
};

/** The access token as a field of a body. */
export const ACCESS_TOKEN: Schema = {
  type: ['string', 'null'],
  description: 'The access token, when it stands neither in the header nor in the query. Null counts as not sent.',
};

/** Describes the parameters of a table, none of which is required, as those of a query. */
export function queryOf(table: ParameterTable): Schema[] {
  return Object.entries(table).map(([name, { description, schema, isList }]) => ({
    name,
    in: 'query',
    description,
    schema: isList ? { type: 'array', items: schema, minItems: 1, maxItems: LIMITS.gateway.listedValues } : schema,
    // An empty one counts as absent.
    allowEmptyValue: true,
    ...(isList && { style: 'form', explode: false }),
  }));
}

/** Describes the parameters of a table, and the access token, as the fields of a body. */
function bodyOf(description: string, table: ParameterTable, more: Schema): Schema {
  const fields = Object.entries(table).map(([name, parameter]) => {
    return [name, { ...parameter.schema, description: parameter.description }] as const;
  });
  return {
    type: 'object',
    description,
    properties: { ...Object.fromEntries(fields), access_token: ACCESS_TOKEN },
    required: Object.keys(table).filter((name) => table[name]?.isRequired),
    ...more,
  };
}

/** The schemas of the bodies by name. @param maxAmountCents the operator's limit */
export function requestSchemas(maxAmountCents: number) {
  return {
    NewPayment: bodyOf('A payment or charge to one person.', paymentParameters(maxAmountCents), {
      oneOf: ONE_TARGET,
      examples: [EXAMPLE_PAYMENT],
    }),
    PaymentChange: bodyOf('What to do with a pending payment.', ACTION_PARAMETERS, {
      examples: [{ action: 'approve' }],
    }),
  } as const;
}
