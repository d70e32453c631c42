import type { ErrorCode } from '@settle/contracts';
import { type ApiResponse, type CallOptions, call, encode } from './client.js';
import { type TestUser, unknownEmail } from './users.js';
import type { WireCreated } from './wire.js';

const JSON_TYPE = 'application/json';
/** The length that fits into a URL of 8 KiB. */
const MAX_QUERY_LENGTH = 8_000;
const FORM_TYPE = 'application/x-www-form-urlencoded';

/** The name of an encoding and the encoded request. */
export type EncodedPayment = readonly [as: string, request: CallOptions];

/** Returns the fields of a payment with this parameter, to an unknown user unless the parameter is the target. */
const fieldsWith = (name: string, value: string): Record<string, string> => {
  const target = ['user_id', 'email', 'phone'].includes(name) ? {} : { email: unknownEmail() };
  return { ...target, note: 'n', amount: '0.01', [name]: value };
};

/** @param source the literal JSON value of the parameter */
export function encodeAsJson(name: string, source: string): CallOptions {
  const sources = Object.entries(fieldsWith(name, source)).map(
    ([field, value]) => `"${field}":${field === name ? source : JSON.stringify(value)}`,
  );
  return { raw: { type: JSON_TYPE, text: `{${sources.join(',')}}` } };
}

/** Encodes the text as a form field, as JSON and, if it is short enough, in the query. */
export function encodeAsText(name: string, value: string): EncodedPayment[] {
  const text = encode(fieldsWith(name, value));
  return [
    ['form', { raw: { type: FORM_TYPE, text } }],
    ['JSON text', encodeAsJson(name, JSON.stringify(value))],
    ...(text.length < MAX_QUERY_LENGTH ? [['query', { query: fieldsWith(name, value) }] satisfies EncodedPayment] : []),
  ];
}

const send = (user: TestUser, request: CallOptions) =>
  call<WireCreated>('/payments', { method: 'POST', token: user.token, ...request });

/** Expects that each request is rejected with 400, this code and a message that names the parameter, and moves no money. */
export async function expectRefused(
  user: TestUser,
  requests: readonly EncodedPayment[],
  code: ErrorCode,
  parameter: string,
) {
  const before = await user.balanceCents();
  for (const [as, request] of requests) {
    const { status, body } = await send(user, request);
    expect({ as, status, code: body.error?.code }).toEqual({ as, status: 400, code });
    expect(body.error.message).toContain(parameter);
  }
  expect(await user.balanceCents()).toBe(before);
}

/** Expects that each request is accepted, and cancels the payments after that. */
export async function expectAccepted(
  user: TestUser,
  requests: readonly EncodedPayment[],
  check: (payment: WireCreated['payment'], response: ApiResponse<WireCreated>) => void,
) {
  for (const [as, request] of requests) {
    const response = await send(user, request);
    expect([as, response.status]).toEqual([as, 200]);
    const { payment } = response.body.data;
    check(payment, response);
    if (payment.status === 'pending') expect((await user.act(payment.id, 'cancel')).status).toBe(200);
  }
}
