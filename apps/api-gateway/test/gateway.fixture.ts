import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readSettings, type Settings } from '@settle/config';
import {
  DEMO_USERS,
  SettleError,
  actOnPayment,
  checkToken,
  createPayment,
  getBalance,
  getPayment,
  getProfile,
  listFriends,
  listPayments,
  tokensRevoked,
  type CreatePayment,
  type PaymentView,
  type UserCard,
  type Profile,
  type RequestContract,
  type Scope,
  type TokenGrant,
} from '@settle/contracts';
import { InMemoryBus } from '@settle/messaging';
import { Metrics, createLogger } from '@settle/observability';
import { startApiGateway, type ApiGateway } from '../src/index.js';

const JOINED_US = 1_700_000_000_000_001;

export function cardOf(name: keyof typeof DEMO_USERS): UserCard {
  const { id, username, firstName, lastName, about } = DEMO_USERS[name];
  return {
    id,
    username,
    firstName,
    lastName,
    displayName: `${firstName} ${lastName}`,
    about,
    profilePictureUrl: 'http://localhost:3000/pictures/XX.svg',
    dateJoinedUs: JOINED_US,
  };
}

export const aliceProfile: Profile = {
  ...cardOf('alice'),
  email: DEMO_USERS.alice.email,
  phone: DEMO_USERS.alice.phone,
  isFriend: null,
  friendsCount: 1,
};

/** The payment that a command asks for, settled. */
export function settled(command: CreatePayment): PaymentView {
  return {
    id: command.paymentId,
    status: 'settled',
    action: command.action,
    amountCents: command.amountCents,
    feeCents: null,
    note: command.note,
    audience: command.audience ?? 'private',
    medium: command.medium,
    createdAtUs: JOINED_US,
    completedAtUs: JOINED_US,
    actor: cardOf('alice'),
    target: { type: command.target.type, user: cardOf('bob'), email: null, phone: null },
    refund: null,
  };
}

/** Answers of the services behind the gateway, one function a contract; absent ones refuse. */
export interface ServiceAnswers {
  createPayment?: (command: CreatePayment) => Promise<object>;
  [name: string]: ((payload: never) => Promise<object>) | undefined;
}

const CONTRACTS: Record<string, RequestContract<object, object>> = {
  actOnPayment,
  createPayment,
  getBalance,
  getPayment,
  getProfile,
  listFriends,
  listPayments,
} as Record<string, RequestContract<object, object>>;

export interface GatewayUnderTest {
  readonly url: string;
  /** Takes auth-service away. */
  stopPages(): Promise<void>;
  /** Requests that reached the pages, newest last. */
  readonly pageRequests: { url: string; headers: IncomingHttpHeaders; body: string }[];
  /** The lines of the log, newest last. */
  readonly logged: readonly string[];
  readonly answers: ServiceAnswers;
  /** Hashes of tokens whose app takes legacy answers. */
  readonly legacyTokens: Set<string>;
  /** Apps of tokens, by the SHA-256 of the token; all others are of the demo app. */
  readonly appIds: Map<string, string>;
  /** Returns the page `/metrics`. */
  readonly metrics: Metrics;
  /** How often a token was asked for. */
  readonly tokenChecks: () => number;
  /** Tells the gateway that all revocations up to now are out, with these among them. */
  revoke(...tokenSha256s: string[]): Promise<void>;
  close(): Promise<void>;
}

/** A gateway over real HTTP and the in-memory bus, for a token that has these scopes. */
export async function startGatewayUnderTest(
  grantOf: (tokenSha256: string) => Scope[] | Pick<TokenGrant, 'scopes' | 'environment'> | null,
  overrides: Partial<Settings> = {},
  callbacksUrl: string | null = null,
): Promise<GatewayUnderTest> {
  const logged: string[] = [];
  const stream = { write: (line: string) => void logged.push(line) };
  const logger = createLogger({ level: 'info', service: 'api-gateway', stream });
  const bus = new InMemoryBus({ logger });
  const answers: ServiceAnswers = {};
  const appIds = new Map<string, string>();
  let tokenChecks = 0;
  const legacyTokens = new Set<string>();
  bus.handle(checkToken.topic, checkToken.pattern, (payload) => {
    tokenChecks += 1;
    const { tokenSha256 } = payload as { tokenSha256: string };
    const given = grantOf(tokenSha256);
    if (given === null) return Promise.reject(new SettleError('invalid_token', 'The access token is not known.'));
    const grant = Array.isArray(given) ? { scopes: given } : given;
    const appId = appIds.get(tokenSha256) ?? 'demo-app';
    const legacyAnswers = legacyTokens.has(tokenSha256);
    const expiresAtMs = Date.now() + 60_000;
    return Promise.resolve({ appId, userId: DEMO_USERS.alice.id, ...grant, expiresAtMs, legacyAnswers });
  });
  for (const [name, { topic, pattern }] of Object.entries(CONTRACTS)) {
    bus.handle(topic, pattern, (payload) => {
      const answer = answers[name];
      if (answer === undefined) throw new SettleError('resource_not_found', 'There is no such thing.');
      return answer(payload as never);
    });
  }
  const pageRequests: GatewayUnderTest['pageRequests'] = [];
  const pages = await listenAsPages(pageRequests);
  const settings = { ...readSettings({}), port: 0, corsOrigins: ['https://app.example.com'], ...overrides };
  const authUrl = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
  const metrics = new Metrics();
  const gateway: ApiGateway = await startApiGateway({ settings, bus, logger, authUrl, callbacksUrl, metrics });
  return {
    url: gateway.url,
    stopPages: () => stop(pages),
    pageRequests,
    logged,
    answers,
    legacyTokens,
    appIds,
    metrics,
    tokenChecks: () => tokenChecks,
    revoke: (...tokenSha256s) =>
      bus.publish({ ...tokensRevoked, key: 'all', payload: { tokenSha256s, completeUpToMs: Date.now() } }),
    close: async () => {
      await gateway.close();
      await bus.close();
      await stop(pages);
    },
  };
}

function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

/** This page sends no response. */
export const LOST_PAGE = '/v1/oauth/lost';
/** This one is answered when the pages end. */
export const HELD_PAGE = '/v1/oauth/held';

function listenAsPages(requests: GatewayUnderTest['pageRequests']): Promise<Server> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      requests.push({ url: request.url ?? '', headers: request.headers, body });
      if (request.url === LOST_PAGE) {
        request.socket.destroy();
        return;
      }
      if (request.url === HELD_PAGE) return;
      response.writeHead(200, { 'content-type': 'text/html', 'cache-control': 'max-age=5', 'set-cookie': 'a=b' });
      response.end('<p>page</p>');
    });
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly json: { readonly data?: unknown; readonly error?: { readonly code: string; readonly message: string } };
}

/** Asks over real HTTP. */
export async function call(url: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url, { redirect: 'manual', ...init });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  const json = (isJson && text !== '' ? JSON.parse(text) : {}) as Answer['json'];
  return { status: response.status, headers: response.headers, json };
}

export const FORM = 'application/x-www-form-urlencoded';

export function post(body: string, type: string, headers: Record<string, string> = {}): RequestInit {
  return { method: 'POST', body, headers: { 'content-type': type, ...headers } };
}

/** Delays every response of the users service with a profile until `release` is called. */
export function holdProfiles(gateway: GatewayUnderTest): {
  /** Resolves when this many requests wait. */
  readonly arrived: (count: number) => Promise<void>;
  readonly release: () => void;
} {
  let release = (): void => undefined;
  let waiting = 0;
  let onArrival = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  gateway.answers['getProfile'] = async () => {
    waiting += 1;
    onArrival();
    await held;
    return aliceProfile;
  };
  const arrived = (count: number): Promise<void> =>
    new Promise((resolve) => {
      onArrival = () => waiting >= count && resolve();
      onArrival();
    });
  return { arrived, release };
}
