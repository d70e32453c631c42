import { call } from './client.js';
import { pageHref } from './developer.js';
import { HostileConnections, largestFile, rawGet } from './hostile-connections.fixture.js';
import { loadToken } from './sign-in.js';

/** One response fits into the buffers of a loopback connection; the others of each connection stay unsent. */
const FILES = { connections: 100, each: 14 };
const PAGES = { connections: 60, each: 24 };
const CALLS = 100;
/** Half a minute is three times the limit of the product. */
const CLOSED_WITHIN_MS = 30_000;

describe('responses that their clients do not read', () => {
  let token: string;
  let file: string;
  let attack: HostileConnections | null = null;

  beforeAll(async () => {
    token = await loadToken('alice', ['access_profile']);
    file = await largestFile();
  });
  afterEach(() => attack?.close());

  /** Returns the statuses of calls during the attack. They are so many that all its requests are accepted before the last call. */
  async function statusesMeanwhile(): Promise<number[]> {
    const statuses: number[] = [];
    for (let index = 0; index < CALLS; index += 1) {
      statuses.push((await call('/me', { token })).status, (await call(pageHref('/docs/interface.md'))).status);
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
  }, 120_000);

  // Shows limit-23
  it('given pages queued behind an unread file, when other clients call the API, then they are served', async () => {
    const pages = Array.from({ length: PAGES.each }, (_, index) => rawGet('/account/sign-in', `198.18.1.${index}`));
    attack = await HostileConnections.open({
      connections: PAGES.connections,
      bytes: rawGet(file).repeat(2) + pages.join(''),
    });
    expect(await statusesMeanwhile()).toEqual([200]);
  }, 120_000);
});
