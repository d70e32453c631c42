import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type ApiResponse, baseUrl, call } from './client.js';
import { loadToken } from './sign-in.js';
import type { WireCreated, WireMe, WirePayment } from './wire.js';

interface Parameter {
  readonly key: string;
  readonly value: string;
  readonly disabled?: boolean;
}

/** The parts of a Postman collection that the spec sends. */
interface Item {
  readonly id: string;
  readonly request: {
    readonly method: string;
    readonly url: { readonly raw: string; readonly variable: readonly Parameter[] };
    readonly header: readonly Parameter[];
    readonly body?: { readonly urlencoded: readonly Parameter[] };
  };
}

const docs = path.resolve(import.meta.dirname, '../../../docs');
const read = (file: string): unknown => JSON.parse(readFileSync(path.join(docs, file), 'utf8'));

const collection = read('settle.postman_collection.json') as {
  readonly variable: readonly Parameter[];
  readonly item: readonly { readonly item: readonly Item[] }[];
};
const items = collection.item.flatMap(({ item }) => item);

/** Sends a request of the collection as Postman does. @param values replace the variables of the collection */
async function send<Data>(id: string, values: Readonly<Record<string, string>>): Promise<ApiResponse<Data>> {
  const item = items.find((one) => one.id === id);
  if (item === undefined) throw new Error(`The collection has no request ${id}.`);
  const { method, url, header, body } = item.request;
  const defaults = Object.fromEntries(collection.variable.map(({ key, value }) => [key, value]));
  const variables: Record<string, string> = { ...defaults, $guid: crypto.randomUUID(), baseUrl: baseUrl(), ...values };
  const fill = (text: string) => text.replace(/\{\{(\$?\w+)\}\}/g, (_, name: string) => variables[name] ?? '');
  const filled = (parameters: readonly Parameter[] = []) =>
    Object.fromEntries(parameters.filter((one) => one.disabled !== true).map(({ key, value }) => [key, fill(value)]));
  const address = url.variable.reduce((raw, { key, value }) => raw.replace(`:${key}`, fill(value)), fill(url.raw));
  const form = body === undefined ? {} : { form: filled(body.urlencoded) };
  return call<Data>(address, { method, token: values.accessToken, headers: filled(header), ...form });
}

describe('the Postman collection', () => {
  it('given the OpenAPI document, when their operations are compared, then the collection has each one once', () => {
    const { paths } = read('openapi.json') as { paths: Record<string, Record<string, { operationId?: string }>> };
    const operations = Object.values(paths).flatMap((one) => Object.values(one).flatMap((it) => it.operationId ?? []));
    expect(items.map(({ id }) => id).sort()).toEqual(operations.sort());
  });

  it('given a token, when its requests are sent, then a payment is made and can be read', async () => {
    const accessToken = await loadToken('alice');
    const me = await send<WireMe>('getMe', { accessToken });
    expect(me.body.data.user.username).toBe('alice');
    const { status, body } = await send<WireCreated>('createPayment', { accessToken });
    expect([status, body.data.payment.amount, body.data.payment.note]).toEqual([200, 5, 'Coffee']);
    const paymentId = body.data.payment.id;
    const payment = await send<WirePayment>('getPayment', { accessToken, paymentId });
    expect(payment.body.data.id).toBe(paymentId);
    const list = await send<WirePayment[]>('listPayments', { accessToken });
    expect(list.body.data[0]?.id).toBe(paymentId);
    expect((await send('authorizationServer', { origin: new URL(baseUrl()).origin })).status).toBe(200);
  });
});
