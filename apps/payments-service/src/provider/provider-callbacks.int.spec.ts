import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LIMITS, readSettings } from '@settle/config';
import { createLogger } from '@settle/observability';
import { createPool, migrateSchema } from '@settle/postgres';
import { createMessageSecret, signMessage } from '@settle/provider-api';
import { freshDatabase, type FreshDatabase } from '@settle/testing';
import type { Pool } from 'pg';
import { PAYMENTS_SCHEMA } from '../payments-schema.js';
import { Clock } from '../storage/clock.js';
import { ProviderCallbacks } from './provider-callbacks.js';
import { ProviderHints } from './provider-hints.js';

const { hintsKeptMs, hintsPerDelete } = LIMITS.provider;
const [oldSecret, newSecret, otherSecret] = [createMessageSecret(), createMessageSecret(), createMessageSecret()];
const change = { kind: 'charge', key: 'p1:u1:1', version: 2, changed_at: '2027-01-15T08:00:00Z' };

let database: FreshDatabase;
let pool: Pool;
let folder: string;
let secretFile: string;
let hints: ProviderHints;
let callbacks: ProviderCallbacks;
let url: string;
let nowMs = 1_800_000_000_000;

beforeAll(async () => {
  database = await freshDatabase();
  await migrateSchema(PAYMENTS_SCHEMA, database.url);
  pool = createPool(database.url, { max: 10, name: 'provider-callbacks-spec' });
  folder = await mkdtemp(join(tmpdir(), 'settle-callbacks-'));
  secretFile = join(folder, 'secret');
});
afterAll(async () => {
  await pool.end();
  await database.drop();
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  await pool.query('truncate provider_hints');
  await writeFile(secretFile, `${oldSecret}\n`);
  const { provider } = readSettings({
    FUNDING_PROVIDER_URL: 'https://provider.example',
    FUNDING_PROVIDER_SECRET_FILE: secretFile,
  }).funding;
  const clock = new Clock(() => nowMs);
  hints = new ProviderHints(pool, clock);
  const logger = createLogger({ level: 'silent', service: 'spec' });
  callbacks = new ProviderCallbacks({ secret: provider?.secret ?? '', hints, clock, logger });
  url = await callbacks.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(() => callbacks.close());

interface Callback {
  readonly id?: string;
  readonly secret?: string;
  readonly ageSeconds?: number;
  readonly body?: string;
}

/** Sends a callback and returns the status of the answer. */
async function send({ id = 'm1', secret = oldSecret, ageSeconds = 0, body = JSON.stringify(change) }: Callback) {
  const timestampSeconds = nowMs / 1_000 - ageSeconds;
  return post({ ...signMessage({ id, timestampSeconds, body }, [secret]) }, body);
}

async function post(headers: Record<string, string>, body: string) {
  const response = await fetch(`${url}/provider/callbacks`, { method: 'POST', headers, body });
  return response.status;
}

const idsOf = async () => (await hints.unhandled(100)).map(({ id }) => id);

describe('callbacks of the provider', () => {
  it('given a signed callback, when it arrives twice and at once, then it is stored once and answered 204 each time', async () => {
    expect(await Promise.all([send({}), send({}), send({})])).toEqual([204, 204, 204]);
    expect(await send({ body: JSON.stringify({ ...change, version: 9 }) })).toBe(204);
    expect(await hints.unhandled(10)).toEqual([{ id: 'm1', kind: 'charge', key: 'p1:u1:1', version: 2 }]);
  });

  it('given a callback that another secret signed, when it arrives, then it is answered 401 and not stored', async () => {
    expect(await send({ secret: otherSecret })).toBe(401);
    const headers = signMessage({ id: 'm1', timestampSeconds: nowMs / 1_000, body: '{}' }, [oldSecret]);
    expect(await post({ ...headers }, JSON.stringify(change))).toBe(401);
    expect(await post({}, JSON.stringify(change))).toBe(401);
    expect(await idsOf()).toEqual([]);
  });

  it('given a callback of five minutes ago, when it arrives, then it is accepted, and one second later refused', async () => {
    expect(await send({ ageSeconds: 300 })).toBe(204);
    expect(await send({ id: 'm2', ageSeconds: 301 })).toBe(401);
    expect(await send({ id: 'm3', ageSeconds: -301 })).toBe(401);
    expect(await idsOf()).toEqual(['m1']);
  });

  it('given a clock that is set back by an hour, when a callback of the new time arrives, then it is accepted', async () => {
    expect(await send({ id: 'm1' })).toBe(204);
    nowMs -= 3_600_000;
    expect(await send({ id: 'm2' })).toBe(204);
  });

  it('given a file with the new and the old secret, when callbacks arrive, then both count; without the old one it does not', async () => {
    await writeFile(secretFile, `${newSecret}\n${oldSecret}\n`);
    expect([await send({ id: 'm1' }), await send({ id: 'm2', secret: newSecret })]).toEqual([204, 204]);
    await writeFile(secretFile, `${newSecret}\n`);
    expect([await send({ id: 'm3' }), await send({ id: 'm4', secret: newSecret })]).toEqual([401, 204]);
    expect(await idsOf()).toEqual(['m1', 'm2', 'm4']);
  });

  it.each([
    ['text that is not JSON', 'key=p1', 400],
    ['an unknown kind', JSON.stringify({ ...change, kind: 'customer' }), 400],
    ['a body of 64 KiB', JSON.stringify({ ...change, more: 'x'.repeat(65_536) }), 413],
  ])('given %s with a valid signature, when it arrives, then it is refused and not stored', async (_, body, status) => {
    expect(await send({ body })).toBe(status);
    expect(await idsOf()).toEqual([]);
    expect(await send({})).toBe(204);
  });

  it('given another path or method, when it is requested, then it is answered 404', async () => {
    expect((await fetch(`${url}/provider/callbacks`)).status).toBe(404);
    expect((await fetch(`${url}/metrics`, { method: 'POST' })).status).toBe(404);
  });

  it('given an unavailable database, when a callback arrives, then it is answered 503, and stored once it comes again', async () => {
    await database.disconnect();
    try {
      expect(await send({})).toBe(503);
    } finally {
      await database.reconnect();
    }
    expect(await send({})).toBe(204);
    expect(await idsOf()).toEqual(['m1']);
  });
});

describe('stored hints', () => {
  it('given hints, when some are handled, then the others are returned in the order of their arrival', async () => {
    for (const id of ['c', 'a', 'b']) await send({ id });
    expect((await hints.unhandled(2)).map(({ id }) => id)).toEqual(['c', 'a']);
    await hints.markHandled(['c', 'a']);
    await hints.markHandled(['c']);
    expect(await idsOf()).toEqual(['b']);
    expect(await send({ id: 'c' })).toBe(204);
    expect(await idsOf()).toEqual(['b']);
  });

  it('given more old hints than one batch, when they are removed, then batches follow until all are gone, and young ones stay', async () => {
    await pool.query(
      `insert into provider_hints (id, kind, key, version, received_at)
        select 'old' || n, 'charge', 'k', 1, $1 from generate_series(1, $2::int) n`,
      [new Date(nowMs), hintsPerDelete + 5],
    );
    nowMs += hintsKeptMs + 1_000;
    await send({ id: 'young' });
    expect([await hints.removeOld(), await hints.removeOld()]).toEqual([true, false]);
    const { rows } = await pool.query<{ id: string }>('select id from provider_hints');
    expect(rows).toEqual([{ id: 'young' }]);
  });
});
