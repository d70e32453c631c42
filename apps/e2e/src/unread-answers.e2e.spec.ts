import { call } from './client.js';
import { pageAt } from './developer.js';
import { HostileConnections, largestFile, rawGet } from './hostile-connections.fixture.js';
import { tokenFor } from './sign-in.js';

/** One answer fits into the buffers of a connection on loopback: the others of each connection stay unsent. */
const FILES = { connections: 100, each: 14 };
const PAGES = { connections: 60, each: 24 };
const CALLS = 100;
/** Half a minute is three times what the product leaves them. */
const CLOSED_WITHIN_MS = 30_000;

describe('answers that their clients do not read', () => {
  let token: string;
  let file: string;
  let attack: HostileConnections | null = null;

  beforeAll(async () => {
    token = await tokenFor('alice', ['access_profile']);
    file = await largestFile();
  });
  afterEach(() => attack?.close());

  /** Statuses of calls while the attack goes on, enough of them that all its requests are taken up before the last. */
  async function statusesMeanwhile(): Promise<number[]> {
    const statuses: number[] = [];
    for (let index = 0; index < CALLS; index += 1) {
      statuses.push((await call('/me', { token })).status, (await call(pageAt('/docs/interface.md'))).status);
    }
    return [...new Set(statuses)];
  }

  // Shows limit-23
  it('given 1,400 unread responses with a large file, when other clients call the API, then they are served, and the connections are closed', async () => {
    attack = await HostileConnections.open({
      connections: FILES.connections,
      bytes: rawGet(file).repeat(FILES.each),
    });
    expect(await statusesMeanwhile()).toEqual([200]);
    await attack.closedByPeer(CLOSED_WITHIN_MS);
    expect((await call('/me', { token })).status).toBe(200);
  }, 60_000);

  // Shows limit-23
  it('given pages that wait behind an unread file, when other clients call the API, then they are served', async () => {
    const pages = Array.from({ length: PAGES.each }, (_, index) => rawGet('/account/sign-in', `198.18.1.${index}`));
    attack = await HostileConnections.open({
      connections: PAGES.connections,
      bytes: rawGet(file).repeat(2) + pages.join(''),
    });
    expect(await statusesMeanwhile()).toEqual([200]);
  }, 60_000);
});
