import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { accessSync } from 'node:fs';
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '@settle/postgres';
import { eventually } from '@settle/testing';
import pg from 'pg';
import { getOutcome, buildUnit } from '../test/contract.fixture.js';
import { NO_STREAM } from './event-store.js';
import { migrateEventLog } from './event-log.migration.js';
import { PostgresEventStore } from './postgres-event-store.js';

const run = promisify(execFile);
const isRootOnLinux = process.platform === 'linux' && process.getuid?.() === 0;
/** In CI, a machine without iproute2 fails instead of skipping the spec. */
const canCutLinks = isRootOnLinux && (process.env['CI'] === 'true' || hasIp());
const NAMESPACE = `settle-${process.pid}`;
const [OUR_LINK, THEIR_LINK] = [`so${process.pid}`, `st${process.pid}`];
const [OUR_IP, THEIR_IP] = ['10.213.77.1', '10.213.77.2'];
/** Two seconds of idle time, three keepalive probes a second apart, `tcp_user_timeout`, and a slow machine. */
const NOTICED_WITHIN_MS = 40_000;
const SETUP_MS = 120_000;

/** Forwards a connection until a message contains the stream name: it forwards the first bytes of that one, then nothing. */
const RELAY = `
  const net = require('node:net');
  const [port, host, text] = process.argv.slice(1);
  net.createServer((client) => {
    const server = net.connect(Number(port), host);
    let isCut = false;
    client.on('data', (bytes) => {
      const at = isCut ? 0 : bytes.indexOf(text);
      if (!isCut) server.write(at < 0 ? bytes : bytes.subarray(0, at + 4));
      isCut ||= at >= 0;
    });
    server.on('data', (bytes) => client.write(bytes));
    for (const socket of [client, server]) socket.on('error', () => undefined);
  }).listen(5432, () => console.log('listening'));`;

function hasIp(): boolean {
  try {
    accessSync('/usr/sbin/ip');
    return true;
  } catch {
    return false;
  }
}

const ip = (...args: string[]) => run('ip', args);

if (!canCutLinks) process.stdout.write('skipping the spec of a dead link: it needs root on Linux, and iproute2\n');

describe('an append over a link that fails', () => {
  let folder: string;
  let server: EmbeddedPostgres;
  let relay: ChildProcess;
  let admin: pg.Client;
  let store: PostgresEventStore;

  beforeAll(async () => {
    if (!canCutLinks) return;
    folder = await mkdtemp(join(tmpdir(), 'settle-link-'));
    const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };
    server = await startEmbeddedPostgres({ dataDir: folder, logger });
    const configuring = new pg.Client(server.adminUrl);
    await configuring.connect();
    await configuring.query(`alter system set listen_addresses = '*'`);
    await configuring.end();
    await server.stop();
    await appendFile(join(folder, 'postgres', 'pg_hba.conf'), `host all all ${THEIR_IP}/32 scram-sha-256\n`);
    server = await startEmbeddedPostgres({ dataDir: folder, logger });
    admin = new pg.Client(server.adminUrl);
    await admin.connect();
    await migrateEventLog(admin);

    await ip('netns', 'add', NAMESPACE);
    await ip('link', 'add', OUR_LINK, 'type', 'veth', 'peer', 'name', THEIR_LINK, 'netns', NAMESPACE);
    await ip('addr', 'add', `${OUR_IP}/24`, 'dev', OUR_LINK);
    await ip('link', 'set', OUR_LINK, 'up');
    await ip('-n', NAMESPACE, 'addr', 'add', `${THEIR_IP}/24`, 'dev', THEIR_LINK);
    await ip('-n', NAMESPACE, 'link', 'set', THEIR_LINK, 'up');
    const address = [new URL(server.adminUrl).port, OUR_IP, 'wallet-cut'];
    relay = spawn('ip', ['netns', 'exec', NAMESPACE, process.execPath, '-e', RELAY, ...address]);
    await once(relay.stdout!, 'data');
    const url = new URL(server.adminUrl);
    url.search = '';
    url.host = `${THEIR_IP}:5432`;
    store = await PostgresEventStore.open({ url: url.href });
  }, SETUP_MS);

  afterAll(async () => {
    if (!canCutLinks) return;
    await ip('-n', NAMESPACE, 'link', 'set', THEIR_LINK, 'up').catch(() => undefined);
    relay?.kill('SIGKILL');
    await store?.close().catch(() => undefined);
    await admin?.end();
    await server?.stop();
    await ip('netns', 'del', NAMESPACE).catch(() => undefined);
    await ip('link', 'del', OUR_LINK).catch(() => undefined);
    await rm(folder, { recursive: true, force: true });
  }, SETUP_MS);

  const countStalled = async () => {
    const { rowCount } = await admin.query(
      `select from pg_stat_activity where application_name = 'settle-append' and wait_event = 'ClientRead'
         and state = 'active'`,
    );
    return rowCount;
  };

  it('given a server in the middle of an append, when the link goes down, then the server ends the session', async () => {
    if (!canCutLinks) return;
    await store.append(buildUnit('wallet-1', NO_STREAM, 1));
    const outcome = getOutcome(store.append(buildUnit('wallet-cut', NO_STREAM, 1)));
    await eventually(async () => expect(await countStalled()).toBe(1));
    await ip('-n', NAMESPACE, 'link', 'set', THEIR_LINK, 'down');
    await eventually(async () => expect(await countStalled()).toBe(0), { timeoutMs: NOTICED_WITHIN_MS });
    expect(await outcome).toBe('AppendOutcomeUnknown');
    const { rowCount } = await admin.query(`select from events where stream = 'wallet-cut'`);
    expect(rowCount).toBe(0);
  });
});
