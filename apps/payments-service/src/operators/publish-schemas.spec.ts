import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { publishSchemas, readRegistry, type SchemaType } from './publish-schemas.js';

interface Request {
  readonly line: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, string>>;
}

const TOPICS = ['payments.events.v1', 'ledger.entries.v1', 'users.lifecycle.v1', 'ledger.watermarks.v1'];

describe('the publisher of schemas, against the recorded API of a registry', () => {
  let server: Server;
  let requests: Request[];
  /** The answers of the API by the method, where they differ from those of success. */
  let refusals: Record<string, readonly [status: number, body: object | string]>;

  beforeAll(async () => {
    server = createServer((request, response) => {
      let text = '';
      request.on('data', (part) => (text += String(part)));
      request.on('end', () => {
        const { method = '', url = '', headers } = request;
        const body = JSON.parse(text) as Request['body'];
        requests.push({ line: `${method} ${url}`, headers, body });
        const success = method === 'PUT' ? { compatibility: body['compatibility'] } : { id: requests.length };
        const [status, answer] = refusals[method] ?? [200, success];
        response.writeHead(status, { 'content-type': 'application/vnd.schemaregistry.v1+json' });
        response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  beforeEach(() => {
    requests = [];
    refusals = {};
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  async function publish(env: Record<string, string> = {}, type: SchemaType = 'JSON'): Promise<readonly string[]> {
    const { port } = server.address() as AddressInfo;
    const lines: string[] = [];
    const registry = readRegistry(`http://127.0.0.1:${port}/apis/ccompat/v7`, env);
    await publishSchemas(registry, { type, topicPrefix: 'blue.', say: (line) => void lines.push(line) });
    return lines;
  }

  it('given a registry, when schemas are published, then each topic has a subject with full transitive compatibility', async () => {
    const lines = await publish();
    expect(requests.map(({ line }) => line)).toEqual(
      TOPICS.flatMap((topic) => [
        `PUT /apis/ccompat/v7/config/blue.${topic}-value`,
        `POST /apis/ccompat/v7/subjects/blue.${topic}-value/versions`,
      ]),
    );
    expect(requests[0]?.body).toEqual({ compatibility: 'FULL_TRANSITIVE' });
    expect(requests[1]?.body['schemaType']).toBe('JSON');
    expect(JSON.parse(requests[1]?.body['schema'] ?? '')).toMatchObject({ title: 'PaymentEvent', type: 'object' });
    expect(lines[0]).toBe('blue.payments.events.v1-value: schema 2, FULL_TRANSITIVE');
    expect(requests.every(({ headers }) => headers.authorization === undefined)).toBe(true);
  });

  it('given Avro, when schemas are published, then the registry gets records of Avro', async () => {
    await publish({}, 'AVRO');
    expect(requests[1]?.body['schemaType']).toBe('AVRO');
    expect(JSON.parse(requests[1]?.body['schema'] ?? '')).toMatchObject({
      type: 'record',
      namespace: 'settle.events.v1',
    });
  });

  it.each<[Record<string, string>, string]>([
    [{ SCHEMA_REGISTRY_USERNAME: 'ann', SCHEMA_REGISTRY_PASSWORD: 'so:secret' }, 'Basic YW5uOnNvOnNlY3JldA=='],
    [{ SCHEMA_REGISTRY_TOKEN: 'a-token' }, 'Bearer a-token'],
  ])('given credentials, when schemas are published, then every request has them', async (env, authorization) => {
    await publish(env);
    expect(new Set(requests.map(({ headers }) => headers.authorization))).toEqual(new Set([authorization]));
  });

  it.each<[string, string, readonly [number, object | string], string]>([
    [
      'the sign-in',
      'PUT',
      [401, { error_code: 401, message: 'Unauthorized' }],
      'refuses the sign-in or its rights (401): Unauthorized',
    ],
    [
      'an incompatible schema',
      'POST',
      [409, { error_code: 409, message: 'Schema is incompatible' }],
      'is not compatible with one that the registry has (409): Schema is incompatible',
    ],
    [
      'an invalid schema',
      'POST',
      [422, { error_code: 42201, message: 'Invalid schema' }],
      'does not accept the schema (422): Invalid schema',
    ],
    [
      'everything, without JSON',
      'PUT',
      [502, '<html>Bad gateway</html>'],
      'the registry has failed (502): <html>Bad gateway</html>',
    ],
    ['to name the id', 'POST', [200, {}], 'without the id of the schema'],
  ])(
    'given a registry that refuses %s, when schemas are published, then it ends there and says why',
    async (_, method, answer, why) => {
      refusals = { [method]: answer };
      await expect(publish()).rejects.toThrow(why);
      expect(requests.length).toBe(method === 'PUT' ? 1 : 2);
    },
  );

  it('given no registry at the address, when schemas are published, then it says so', async () => {
    const registry = readRegistry('http://127.0.0.1:1', {});
    const publishing = publishSchemas(registry, { type: 'JSON', topicPrefix: '', say: () => undefined });
    await expect(publishing).rejects.toThrow('The registry at 127.0.0.1:1 does not answer');
  });

  it.each<[string, Record<string, string>, string]>([
    ['registry', {}, 'must be an address'],
    ['ftp://registry', {}, 'must be an address'],
    ['https://ann:secret@registry', {}, 'must not hold credentials'],
    ['https://registry', { SCHEMA_REGISTRY_USERNAME: 'ann' }, 'are needed together'],
    [
      'https://registry',
      { SCHEMA_REGISTRY_USERNAME: 'ann', SCHEMA_REGISTRY_PASSWORD: 'p', SCHEMA_REGISTRY_TOKEN: 't' },
      'not both',
    ],
  ])('given %s with %j, when it is read, then it is refused without repeating a secret', (address, env, why) => {
    expect(() => readRegistry(address, env)).toThrow(why);
  });
});
