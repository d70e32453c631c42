import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { promisify } from 'node:util';
import { EventStoreDbEventStore } from './eventstoredb-event-store.js';
import type { EventStoreDbLimits } from './limits.js';

const IMPATIENT: Partial<EventStoreDbLimits> = { readGiveUpMs: 5_000, answerMs: 5_000 };
/** No valid name, so that no name server is asked. */
const UNKNOWN_HOST = `${'a'.repeat(64)}.invalid`;
const open = (url: string) => EventStoreDbEventStore.open({ url, limits: IMPATIENT });

describe('EventStoreDbEventStore with an unusable URL', () => {
  it('given a closed port, when the store is opened, then the error says so', async () => {
    await expect(open('esdb://127.0.0.1:1?tls=false')).rejects.toThrow(/the port is closed/);
  });

  it('given a last attempt without time for a response, when the store is opened, then the error is that of the attempt before', async () => {
    let connections = 0;
    const server = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      connections += 1;
      if (connections === 1) socket.resetAndDestroy();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const limits = { ...IMPATIENT, answerMs: 60_000 };
    const opened = EventStoreDbEventStore.open({ url: `esdb://127.0.0.1:${port}?tls=false`, limits });
    await expect(opened).rejects.toThrow(/^(?!.*did not respond in time)/);
    expect(connections).toBeGreaterThan(1);
    server.close();
  });

  it('given an unknown host, when the store is opened, then the error says so', async () => {
    await expect(open(`esdb://${UNKNOWN_HOST}:2113?tls=false`)).rejects.toThrow(/host name/);
  });

  it('given a certificate of an unknown authority, when the store is opened, then the error says so', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'settle-untrusted-'));
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
    const subject = ['-subj', '/CN=stranger', '-addext', 'subjectAltName=DNS:localhost'];
    await promisify(execFile)('openssl', ['req', '-x509', ...kind, ...subject, '-out', cert, '-keyout', key]);
    const server = createServer({ cert: await readFile(cert), key: await readFile(key), ALPNProtocols: ['h2'] });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await expect(open(`esdb://localhost:${port}?tls=true`)).rejects.toThrow(/certificate is not trusted/);
    // Node 26 refuses an IP address as the name of the server (RFC 6066, section 3), older ones ignore it.
    const byAddress = open(`esdb://127.0.0.1:${port}?tls=true`);
    await expect(byAddress).rejects.toThrow(/needs a host name|certificate is not trusted/);
    server.close();
    await rm(folder, { recursive: true, force: true });
  });
});
