import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readSettings } from '@settle/config';
import { TOPICS } from '@settle/contracts';
import { freePort, startKafka, type RunningKafka } from '@settle/local-kafka';
import { KafkaBus, createKafkaTopics, toKafkaAddress } from '@settle/messaging';
import { createLogger } from '@settle/observability';

const logger = createLogger({ level: 'silent', service: 'spec' });
const PLAIN = 'org.apache.kafka.common.security.plain.PlainLoginModule required user_settle="sesame";';
const SCRAM = 'org.apache.kafka.common.security.scram.ScramLoginModule required;';
const OAUTH =
  'org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="x";';
const SECRETS = { KAFKA_USERNAME: 'settle', KAFKA_PASSWORD: 'sesame' };

let folder: string;
let kafka: RunningKafka;
let tokens: Server;
let tokenRequests: string[];
const brokers = { sasl: '', mutual: '' };

/** Returns an access token without a signature, which the broker's validator for development accepts. */
function token(): string {
  const part = (claims: object) => Buffer.from(JSON.stringify(claims)).toString('base64url');
  const nowSeconds = Math.floor(Date.now() / 1_000);
  return `${part({ alg: 'none' })}.${part({ sub: 'settle', iat: nowSeconds, exp: nowSeconds + 600 })}.`;
}

/** Creates a self-signed certificate for this machine: `<name>.pem` and `<name>-key.pem`. */
async function certificate(name: string): Promise<void> {
  const files = ['-out', join(folder, `${name}.pem`), '-keyout', join(folder, `${name}-key.pem`)];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  const whom = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1'];
  await promisify(execFile)('openssl', ['req', '-x509', ...kind, ...whom, ...files]);
}

/** Returns the text of a file as one line of `server.properties`. */
const inOneLine = async (name: string) => (await readFile(join(folder, name), 'utf8')).replaceAll('\n', '\\n');

async function secured(port: number, saslPort: number, mutualPort: number): Promise<Record<string, string>> {
  const controllerPort = await freePort();
  const own = `PLAINTEXT://127.0.0.1:${port},SIGNED://127.0.0.1:${saslPort},MUTUAL://127.0.0.1:${mutualPort}`;
  return {
    'controller.quorum.voters': `1@127.0.0.1:${controllerPort}`,
    listeners: `${own},CONTROLLER://127.0.0.1:${controllerPort}`,
    'advertised.listeners': own,
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SIGNED:SASL_PLAINTEXT,MUTUAL:SSL',
    'sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER',
    'listener.name.signed.plain.sasl.jaas.config': PLAIN,
    'listener.name.signed.scram-sha-256.sasl.jaas.config': SCRAM,
    'listener.name.signed.scram-sha-512.sasl.jaas.config': SCRAM,
    'listener.name.signed.oauthbearer.sasl.jaas.config': OAUTH,
    'ssl.client.auth': 'required',
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.certificate.chain': await inOneLine('server.pem'),
    'ssl.keystore.key': await inOneLine('server-key.pem'),
    'ssl.truststore.type': 'PEM',
    'ssl.truststore.certificates': await inOneLine('client.pem'),
  };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'settle-sign-in-'));
  await Promise.all([certificate('server'), certificate('client')]);
  const [port, saslPort, mutualPort] = [await freePort(), await freePort(), await freePort()];
  const users = ['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap((mechanism) => {
    return ['--add-scram', `${mechanism}=[name=settle,password=sesame]`];
  });
  const settings = await secured(port, saslPort, mutualPort);
  kafka = await startKafka({ dataDir: folder, port, settings, formatWith: users });
  await createKafkaTopics({ address: { brokers: kafka.brokers }, logger, partitionsAtMost: 1 });
  Object.assign(brokers, { sasl: `127.0.0.1:${saslPort}`, mutual: `127.0.0.1:${mutualPort}` });
  await writeFile(join(folder, 'password'), 'sesame\n');
  await writeFile(join(folder, 'token'), token());
  tokenRequests = [];
  tokens = createServer((request, response) => {
    tokenRequests.push(String(request.headers.authorization));
    response.end(JSON.stringify({ access_token: token(), expires_in: 600 }));
  }).listen(0, '127.0.0.1');
});
afterAll(async () => {
  tokens.close();
  await kafka.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Sends a request to itself over a bus that signs in with the settings. */
async function isAnswered(env: Record<string, string>): Promise<object> {
  const address = toKafkaAddress(readSettings(env).kafka);
  const bus = await KafkaBus.connect({ address, logger, clientId: 'spec', sessionTimeoutMs: 2_000 });
  try {
    const topic = TOPICS.usersRequests;
    bus.handle(topic, 'spec.ask', async (payload) => payload);
    await bus.ready();
    const request = { topic, pattern: 'spec.ask', key: 'k', payload: { n: 1 }, requestId: 'r', timeoutMs: 30_000 };
    return await bus.request(request);
  } finally {
    await bus.close();
  }
}

describe('signing in to the brokers', () => {
  it.each(['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'])(
    'given %s and a password in a file, when a service connects, then it sends requests and gets responses',
    async (mechanism) => {
      const env = { KAFKA_BROKERS: brokers.sasl, KAFKA_SASL_MECHANISM: mechanism, KAFKA_USERNAME: 'settle' };
      const file = { KAFKA_PASSWORD_FILE: join(folder, 'password') };
      expect(await isAnswered({ ...env, ...file })).toEqual({ n: 1 });
    },
  );

  it('given a name and a password alone, when a service connects, then it signs in by SCRAM-SHA-512', async () => {
    expect(await isAnswered({ KAFKA_BROKERS: brokers.sasl, ...SECRETS })).toEqual({ n: 1 });
  });

  it('given OAUTHBEARER and a token in a file, when a service connects, then it sends requests and gets responses', async () => {
    const env = { KAFKA_BROKERS: brokers.sasl, KAFKA_SASL_MECHANISM: 'OAUTHBEARER' };
    expect(await isAnswered({ ...env, KAFKA_TOKEN_FILE: join(folder, 'token') })).toEqual({ n: 1 });
  });

  it('given OAUTHBEARER and client credentials, when a service connects, then it gets one token for all connections', async () => {
    const { port } = tokens.address() as AddressInfo;
    const env = { KAFKA_BROKERS: brokers.sasl, KAFKA_SASL_MECHANISM: 'OAUTHBEARER', ...SECRETS };
    expect(await isAnswered({ ...env, KAFKA_TOKEN_URL: `http://127.0.0.1:${port}/token` })).toEqual({ n: 1 });
    expect(tokenRequests).toEqual([`Basic ${Buffer.from('settle:sesame').toString('base64')}`]);
  });

  it('given a client certificate, when a service connects over TLS, then it sends requests and gets responses', async () => {
    const file = (name: string) => join(folder, `${name}.pem`);
    const own = { KAFKA_CLIENT_CERTIFICATE_FILE: file('client'), KAFKA_CLIENT_KEY_FILE: file('client-key') };
    const env = { KAFKA_BROKERS: brokers.mutual, KAFKA_SSL: 'true', KAFKA_CA_FILE: file('server') };
    expect(await isAnswered({ ...env, ...own })).toEqual({ n: 1 });
  });

  it('given a wrong password, when a service connects, then the error says that the brokers reject it', async () => {
    const env = { KAFKA_BROKERS: brokers.sasl, ...SECRETS, KAFKA_PASSWORD: 'wrong' };
    await expect(isAnswered(env)).rejects.toThrow(/refuse.*sign-in/);
  });
});
