import type { ErrorCode } from '@settle/contracts';
import { type Answer, type Call, call, encode } from './client.js';
import { type Person, unknownEmail } from './people.js';
import type { WireCreated } from './wire.js';

const JSON_TYPE = 'application/json';
/** A URL of 8 KiB holds it. */
const MAX_QUERY_LENGTH = 8_000;
const FORM_TYPE = 'application/x-www-form-urlencoded';

/** A way to write a request, and the request. */
export type Written = readonly [as: string, request: Call];

/** A payment with this parameter, to an unknown user unless the parameter is the target. */
const fieldsWith = (name: string, value: string): Record<string, string> => {
  const target = ['user_id', 'email', 'phone'].includes(name) ? {} : { email: unknownEmail() };
  return { ...target, note: 'n', amount: '0.01', [name]: value };
};

/** @param source stands in the JSON as it is, as the value of the parameter */
export function asJson(name: string, source: string): Call {
  const sources = Object.entries(fieldsWith(name, source)).map(
    ([field, value]) => `"${field}":${field === name ? source : JSON.stringify(value)}`,
  );
  return { raw: { type: JSON_TYPE, text: `{${sources.join(',')}}` } };
}

/** The same text as a form field, as JSON and in the query, if it is short enough for one. */
export function asText(name: string, value: string): Written[] {
  const text = encode(fieldsWith(name, value));
  return [
    ['form', { raw: { type: FORM_TYPE, text } }],
    ['JSON text', asJson(name, JSON.stringify(value))],
    ...(text.length < MAX_QUERY_LENGTH ? [['query', { query: fieldsWith(name, value) }] satisfies Written] : []),
  ];
}

const send = (person: Person, request: Call) =>
  call<WireCreated>('/payments', { method: 'POST', token: person.token, ...request });

/** Each is refused with 400 and this code, in a message that names the parameter, and no money moves. */
export async function expectRefused(person: Person, requests: readonly Written[], code: ErrorCode, parameter: string) {
  const before = await person.balanceCents();
  for (const [as, request] of requests) {
    const { status, body } = await send(person, request);
    expect({ as, status, code: body.error?.code }).toEqual({ as, status: 400, code });
    expect(body.error.message).toContain(parameter);
  }
  expect(await person.balanceCents()).toBe(before);
}

/** Each is taken. Nothing is left of it: what was held goes back, what was asked for is withdrawn. */
export async function expectTaken(
  person: Person,
  requests: readonly Written[],
  check: (payment: WireCreated['payment'], answer: Answer<WireCreated>) => void,
) {
  for (const [as, request] of requests) {
    const answer = await send(person, request);
    expect([as, answer.status]).toEqual([as, 200]);
    const { payment } = answer.body.data;
    check(payment, answer);
    if (payment.status === 'pending') expect((await person.act(payment.id, 'cancel')).status).toBe(200);
  }
}
