import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readSettings } from '@settle/config';
import { DEMO_USERS, createPayment, randomId, type CreatedPayment } from '@settle/contracts';
import { InMemoryBus, MessageClient } from '@settle/messaging';
import { createLogger } from '@settle/observability';
import { PAYMENTS_SCHEMA, startPaymentsService, type PaymentsService } from '@settle/payments-service';
import { createMessageSecret, signMessage } from '@settle/provider-api';
import type { ReferenceProvider } from '@settle/reference-provider';
import { createPool, migrateSchema } from '@settle/postgres';
import { eventually, freshDatabase, type FreshDatabase } from '@settle/testing';
import type { Pool } from 'pg';

const logger = createLogger({ level: 'fatal', service: 'spec' });
const secret = createMessageSecret();
/** Pending, then approved. */
const CARD = '4000003720000278';

/** Payments-service with the reference provider over HTTP, in the shape of one process. */
describe('payments and their provider', () => {
  let databases: { payments: FreshDatabase; provider: FreshDatabase };
  let forwarder: Server;
  let provider: ReferenceProvider;
  let payments: PaymentsService;
  let pool: Pool;
  let bus: InMemoryBus;
  /** Has money of the demo. */
  const { id: payerId, balanceCents } = DEMO_USERS.bob;
  const payeeId = randomId(Date.now());
  const sourceKey = `src-${randomUUID()}`;

  beforeAll(async () => {
    databases = { payments: await freshDatabase(), provider: await freshDatabase() };
    await migrateSchema(PAYMENTS_SCHEMA, databases.payments.url);
    const { PROVIDER_SCHEMA } = await import('@settle/reference-provider');
    await migrateSchema(PROVIDER_SCHEMA, databases.provider.url);
    pool = createPool(databases.payments.url, { max: 1, name: 'spec' });
    bus = new InMemoryBus({ logger });
    // In the place of the gateway.
    forwarder = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const headers = Object.fromEntries(
          Object.entries(request.headers).filter(([name]) => name.startsWith('webhook-')),
        ) as Record<string, string>;
        const forward = async () => {
          // Rejects while the service has not been started.
          const url = `${payments.callbacksUrl}${request.url}`;
          const { status } = await fetch(url, { method: 'POST', headers, body: Buffer.concat(chunks) });
          response.writeHead(status).end();
        };
        forward().catch(() => response.writeHead(503).end());
      });
    });
    await once(forwarder.listen(0, '127.0.0.1'), 'listening');
    provider = await startProvider(0);
    for (const id of [payerId, payeeId]) await know(id);
  });
  afterAll(async () => {
    await payments.close();
    await provider.close();
    forwarder.closeAllConnections();
    forwarder.close();
    await bus.close();
    await pool.end();
    await Promise.all([databases.payments.drop(), databases.provider.drop()]);
  });

  async function startProvider(port: number): Promise<ReferenceProvider> {
    const { startReferenceProvider } = await import('@settle/reference-provider');
    const callbackUrl = `http://127.0.0.1:${(forwarder.address() as AddressInfo).port}/provider/callbacks`;
    const settings = { host: '127.0.0.1', port, pagesUrl: null, secrets: [secret], callbackUrl, laterMs: 100 };
    return startReferenceProvider({ settings, databaseUrl: databases.provider.url, logger });
  }

  async function know(id: string): Promise<void> {
    const card = { id, username: `user${id}`, firstName: 'Ann', lastName: 'Ok', displayName: 'Ann Ok', about: '' };
    const record = {
      ...{ kind: 'user', version: 1, defaultAudience: 'private', isBusiness: false, isFrozen: false, addresses: [] },
      card: { ...card, profilePictureUrl: 'http://localhost/p.svg', dateJoinedUs: 1 },
      fundingSourceId: id === payerId ? sourceKey : null,
    };
    await pool.query('insert into known_users (user_id, version, record) values ($1, 1, $2)', [id, record]);
  }

  /** Adds the payer's card, as the page of Settle and the provider's own page do. */
  async function addCard(): Promise<void> {
    const purposes = { wants_charges: true, wants_payouts: true };
    const begun = {
      key: sourceKey,
      user: payerId,
      owner_name: 'Ann Ok',
      ...purposes,
      return_url: 'http://localhost/r',
    };
    const body = JSON.stringify(begun);
    const timestampSeconds = Math.floor(Date.now() / 1_000);
    const headers = { ...signMessage({ id: randomUUID(), timestampSeconds, body }, [secret]) };
    const response = await fetch(`${provider.url}/sources/${sourceKey}`, {
      method: 'PUT',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
    });
    const source = (await response.json()) as { next_action: { url: string } };
    const form = new URLSearchParams({ card_number: CARD });
    const added = await fetch(source.next_action.url, { method: 'POST', body: form, redirect: 'manual' });
    expect(added.status).toBe(303);
  }

  const client = () => new MessageClient(bus);
  function pay(amountCents = 100): Promise<CreatedPayment> {
    const command = {
      ...{ commandId: randomUUID(), paymentId: randomId(Date.now()), appId: 'spec', actorId: payerId },
      ...{ action: 'pay' as const, target: { type: 'user' as const, value: payeeId }, amountCents, note: 'spec' },
      ...{ audience: null, medium: 'api' as const, environment: 'live' as const, beginBeforeMs: Date.now() + 60_000 },
    };
    return client().request(createPayment, command, { key: payerId, timeoutMs: 30_000 });
  }

  it('given a provider that does not answer, when the service starts, then it pays from balances; funding begins once it answers', async () => {
    await addCard();
    const { port } = new URL(provider.url);
    await provider.close();
    payments = await startPaymentsService({
      settings: readSettings({
        ...{ NODE_ENV: 'test', DEMO: 'true', FUNDING_WAIT_MS: '0' },
        ...{ FUNDING_PROVIDER_URL: provider.url, FUNDING_PROVIDER_SECRET: secret },
      }),
      ...{ bus, logger, databaseUrl: databases.payments.url, shape: 'embedded' },
      onFatal: (error) => {
        throw error;
      },
    });
    expect((await pay(balanceCents)).payment.status).toBe('settled');
    await expect(pay()).rejects.toMatchObject({ code: 'service_unavailable' });
    expect((await pool.query('select from provider_mode')).rowCount).toBe(0);

    provider = await startProvider(Number(port));
    const { payment } = await eventually(() => pay(), { timeoutMs: 20_000 });
    expect(payment.status).toBe('pending');
    // A callback brings the approval, which no request gets: the next one of the worker is after two seconds.
    await eventually(async () => {
      const { rows } = await pool.query<{ status: string }>('select status from payments where id = $1', [payment.id]);
      expect(rows).toEqual([{ status: 'settled' }]);
    });
    await eventually(async () => {
      const hints = await pool.query<{ open: number; all: number }>(
        'select count(*) filter (where handled_at is null)::int as open, count(*)::int as all from provider_hints',
      );
      expect(hints.rows[0]?.all).toBeGreaterThanOrEqual(2);
      expect(hints.rows[0]?.open).toBe(0);
    });
    expect((await pool.query('select mode from provider_mode')).rows).toEqual([{ mode: 'test' }]);
    const read = await pool.query('select read_epoch is not null as "isRead" from provider_changes');
    expect(read.rows).toEqual([{ isRead: true }]);
    expect((await pool.query(`select from funding where kind = 'contradiction'`)).rowCount).toBe(0);
  });
});
