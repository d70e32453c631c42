import { randomUUID } from 'node:crypto';
import { createLogger } from '@settle/observability';
import { migrateSchema } from '@settle/postgres';
import {
  createMessageSecret,
  parseCharge,
  parseChanges,
  parsePayout,
  parseRepayment,
  parseReversal,
  parseSource,
  signMessage,
  type ProviderChange,
  type ProviderCharge,
  type ProviderPayout,
  type ProviderRepayment,
  type ProviderReversal,
  type ProviderSource,
} from '@settle/provider-api';
import { eventually, freshDatabase } from '@settle/testing';
import type { ProviderSettings } from '../src/provider-settings.js';
import { startReferenceProvider } from '../src/start-reference-provider.js';
import { PROVIDER_SCHEMA } from '../src/storage/provider-schema.js';

export const USER = 'u1';
export const APPROVED = '4242424242424242';
export const SECOND_MS = 1_000;
const START_MS = Date.UTC(2030, 0, 1);
const BEGIN_MS = 30 * SECOND_MS;

/** Time that only a spec moves. */
class Clock {
  nowMs = START_MS;
  readonly now = (): number => this.nowMs;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

export type RunningProvider = Awaited<ReturnType<typeof startProvider>>;

/** Starts a provider on a database of its own, with a client that signs its requests. */
export async function startProvider(changed: Partial<ProviderSettings> = {}) {
  const database = await freshDatabase();
  await migrateSchema(PROVIDER_SCHEMA, await database.separateMigrations());
  const clock = new Clock();
  const secret = createMessageSecret();
  const settings: ProviderSettings = {
    ...{ host: '127.0.0.1', port: 0, pagesUrl: null, secrets: [secret], callbackUrl: null, laterMs: 3 * SECOND_MS },
    ...changed,
  };
  const logger = createLogger({ level: 'silent', service: 'spec' });
  const start = () => startReferenceProvider({ settings, databaseUrl: database.url, logger, now: clock.now });
  let provider = await start();
  return {
    clock,
    database,
    client: new ProviderClient(() => provider.url, settings.secrets[0] ?? secret, clock.now),
    url: () => provider.url,
    isReady: async () => provider.checks.postgres?.() ?? false,
    async restart() {
      await provider.close();
      provider = await start();
    },
    async close() {
      await provider.close();
      await database.drop();
    },
  };
}

/** Speaks the interface, and checks every answer against its shape. */
export class ProviderClient {
  constructor(
    private readonly url: () => string,
    private readonly secret: string,
    private readonly now: () => number,
  ) {}

  async send(method: string, path: string, value?: unknown): Promise<Answer> {
    const response = await this.request(method, path, value);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    return { status: response.status, body: isJson ? (JSON.parse(text) as unknown) : text };
  }

  request(method: string, path: string, value?: unknown): Promise<Response> {
    const body = value === undefined ? '' : JSON.stringify(value);
    const timestampSeconds = Math.floor(this.now() / SECOND_MS);
    const headers = { ...signMessage({ id: randomUUID(), timestampSeconds, body }, [this.secret]) };
    if (value === undefined) return fetch(`${this.url()}${path}`, { method, headers });
    return fetch(`${this.url()}${path}`, {
      method,
      headers: { ...headers, 'content-type': 'application/json' },
      body,
    });
  }

  chargeBody(key: string, source: string, amount = 1_000) {
    return { key, user: USER, source_key: source, amount, currency: 'USD' };
  }

  async charge(key: string, source: string, amount = 1_000): Promise<ProviderCharge> {
    const value = { ...this.chargeBody(key, source, amount), begin_before: this.beginBefore() };
    return readAs(parseCharge, await this.send('PUT', `/charges/${key}`, value));
  }

  async repay(key: string, charge: string, amount = 1_000): Promise<ProviderRepayment> {
    const value = { key, user: USER, charge_key: charge, amount, currency: 'USD', begin_before: this.beginBefore() };
    return readAs(parseRepayment, await this.send('PUT', `/repayments/${key}`, value));
  }

  async payOut(key: string, source: string, amount = 1_000): Promise<ProviderPayout> {
    const value = { ...this.chargeBody(key, source, amount), begin_before: this.beginBefore() };
    return readAs(parsePayout, await this.send('PUT', `/payouts/${key}`, value));
  }

  async cancel(key: string, source: string, amount = 1_000): Promise<ProviderCharge> {
    return readAs(parseCharge, await this.send('POST', `/charges/${key}/cancel`, this.chargeBody(key, source, amount)));
  }

  /** Begins to add a source. */
  async beginSource(
    key: string,
    returnUrl = 'http://localhost:3000/account/funding?state=abc',
  ): Promise<ProviderSource> {
    const purposes = { wants_charges: true, wants_payouts: true };
    const value = { key, user: USER, owner_name: 'Ann Ok', ...purposes, return_url: returnUrl };
    return readAs(parseSource, await this.send('PUT', `/sources/${key}`, value));
  }

  /** Adds a source with a card, on the page. @returns its key */
  async addSource(cardNumber: string): Promise<string> {
    const key = `s-${randomUUID()}`;
    const { next_action: page } = await this.beginSource(key);
    const answer = await submitForm(page?.url ?? '', { card_number: cardNumber });
    if (answer.status !== 303) throw new Error(`The page of the card answered ${answer.status}`);
    return key;
  }

  /** Adds a source with a card, and charges it. */
  async chargeCard(cardNumber: string, key: string = randomUUID(), amount = 1_000): Promise<ProviderCharge> {
    return this.charge(key, await this.addSource(cardNumber), amount);
  }

  async readCharge(key: string): Promise<ProviderCharge> {
    return readAs(parseCharge, await this.send('GET', `/charges/${key}`));
  }
  async readRepayment(key: string): Promise<ProviderRepayment> {
    return readAs(parseRepayment, await this.send('GET', `/repayments/${key}`));
  }
  async readPayout(key: string): Promise<ProviderPayout> {
    return readAs(parsePayout, await this.send('GET', `/payouts/${key}`));
  }
  async readReversal(id: string): Promise<ProviderReversal> {
    return readAs(parseReversal, await this.send('GET', `/reversals/${id}`));
  }
  async readSource(key: string): Promise<ProviderSource> {
    return readAs(parseSource, await this.send('GET', `/sources/${key}`));
  }

  /** Returns all changes after a cursor, and the cursor after the last one. */
  async changes(after: string | null = null): Promise<{ changes: ProviderChange[]; cursor: string | null }> {
    const changes: ProviderChange[] = [];
    for (let cursor = after; ;) {
      const page = readAs(parseChanges, await this.send('GET', `/changes${cursor === null ? '' : `?after=${cursor}`}`));
      if (page.changes.length === 0) return { changes, cursor: page.cursor };
      changes.push(...page.changes);
      ({ cursor } = page);
    }
  }

  /** Returns the only reversal among all changes, once there is one. */
  reversal(): Promise<ProviderReversal> {
    return eventually(async () => {
      const { changes } = await this.changes();
      const ids = new Set(changes.filter(({ kind }) => kind === 'reversal').map(({ key }) => key));
      expect(ids.size).toBe(1);
      return this.readReversal([...ids][0] ?? '');
    });
  }

  beginBefore(): string {
    return new Date(this.now() + BEGIN_MS).toISOString();
  }
}

/** Sends a form as a browser does, without following the redirect. */
export function submitForm(url: string, fields: Readonly<Record<string, string>>): Promise<Response> {
  return fetch(url, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' });
}

function readAs<Value>(parse: (value: unknown) => Value | null, { status, body }: Answer): Value {
  const value = status === 200 ? parse(body) : null;
  if (value === null) throw new Error(`Unexpected answer ${status}: ${JSON.stringify(body)}`);
  return value;
}
