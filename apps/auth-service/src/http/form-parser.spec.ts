import fastify, { type FastifyInstance } from 'fastify';
import { registerFormParsers } from './form-parser.js';

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';
const PARTS = 'multipart/form-data; boundary=x';
const IN_PARTS = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--\r\n';

let server: FastifyInstance;
beforeAll(() => {
  server = fastify();
  registerFormParsers(server);
  server.setErrorHandler<Error & { code: string; status: number }>(({ code, status }, _request, reply) =>
    reply.code(status).send({ code }),
  );
  server.post('/form', ({ body }) => ({ body }));
  server.delete('/json', { config: { acceptsJson: true } }, ({ body }) => ({ body }));
});
afterAll(() => server.close());

async function send(method: 'POST' | 'DELETE', type: string, payload: string, headers: Record<string, string> = {}) {
  const url = method === 'POST' ? '/form' : '/json';
  const { statusCode, body } = await server.inject({
    method,
    url,
    payload,
    headers: { 'content-type': type, ...headers },
  });
  return { status: statusCode, ...(JSON.parse(body) as { body?: unknown; code?: string }) };
}

describe('the bodies that auth-service reads', () => {
  it.each([
    ['a form', FORM, 'a=1', {}],
    ['a form that says UTF-8', `${FORM}; charset="UTF-8"`, 'a=1', {}],
    ['a form that says it is not compressed', FORM, 'a=1', { 'content-encoding': 'Identity' }],
    ['parts', PARTS, IN_PARTS, {}],
  ])('given %s, when it is sent, then its fields are read', async (_name, type, payload, headers) => {
    expect(await send('POST', type, payload, headers)).toEqual({ status: 200, body: { a: '1' } });
  });

  it.each([
    ['a form in Latin-1', FORM, 'a=1', { 'content-type': `${FORM}; charset=iso-8859-1` }],
    ['a form in UTF-16', FORM, 'a=1', { 'content-type': `${FORM};charset=utf-16` }],
    ['parts in UTF-16', PARTS, IN_PARTS, { 'content-type': `${PARTS}; charset=utf-16` }],
    ['a compressed form', FORM, 'a=1', { 'content-encoding': 'gzip' }],
    ['JSON', JSON_TYPE, '{"a":"1"}', {}],
    ['text', 'text/plain', 'a=1', {}],
  ])('given %s, when it is sent, then it is refused', async (_name, type, payload, headers) => {
    expect(await send('POST', type, payload, headers)).toEqual({ status: 415, code: 'unsupported_media_type' });
  });

  it('given JSON without bytes, when it is sent, then it is no body', async () => {
    expect(await send('POST', JSON_TYPE, '')).toMatchObject({ status: 200 });
  });
});

describe('a route that accepts JSON', () => {
  it('given a JSON object, when it is sent, then its fields are read', async () => {
    expect(await send('DELETE', JSON_TYPE, '{"a":"1","b":null}')).toEqual({ status: 200, body: { a: '1', b: null } });
  });

  it.each([
    ['an array', '[]', {}, 400],
    ['one key twice', '{"a":"1","a":"1"}', {}, 400],
    ['another charset', '{}', { 'content-type': `${JSON_TYPE}; charset=utf-16` }, 415],
    ['compressed JSON', '{}', { 'content-encoding': 'gzip' }, 415],
  ])('given %s, when it is sent, then it is refused', async (_name, payload, headers, status) => {
    expect((await send('DELETE', JSON_TYPE, payload, headers)).status).toBe(status);
  });
});
