import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { readSettings } from '@settle/config';
import { eventually } from '@settle/testing';
import {
  FORM,
  HELD_PAGE,
  LOST_PAGE,
  aliceProfile,
  call,
  holdProfiles,
  startGatewayUnderTest,
  type Answer,
  type GatewayUnderTest,
} from '../../test/gateway.fixture.js';

const { requestsInProgress } = readSettings({});

let gateway: GatewayUnderTest;
beforeEach(async () => {
  gateway = await startGatewayUnderTest(() => ['access_profile'], { rateLimits: null });
});
afterEach(() => gateway.close());

async function connected(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname.replace(/[[\]]/g, ''));
  await once(socket, 'connect');
  return socket;
}

const me = (token = 't'): Promise<number> =>
  call(`${gateway.url}/v1/me?access_token=${token}`).then(({ status }) => status);

describe('requests in progress', () => {
  // Shows error-44, limit-20
  it('given as many as may be, when one more comes, then it is refused until another is done', async () => {
    const { arrived, release } = holdProfiles(gateway);
    const held = Array.from({ length: requestsInProgress }, () => me());
    await arrived(held.length);
    const refused = await call(`${gateway.url}/v1/me?access_token=t`);
    expect([refused.status, refused.json.error?.code, refused.headers.get('retry-after')]).toEqual([
      503,
      'service_unavailable',
      '1',
    ]);
    release();
    expect(new Set(await Promise.all(held))).toEqual(new Set([200]));
    expect(await me()).toBe(200);
  });

  it.each([
    ['', 'service_unavailable'],
    [' of an app with legacy answers', '240'],
  ])(
    'given every slot in use by a token%s, when it is used once more, then the code is of its form',
    async (of, code) => {
      // The grant counts without a request, so that the refusal comes before the body is read.
      await gateway.revoke();
      if (of !== '') gateway.legacyTokens.add(createHash('sha256').update('t').digest('hex'));
      const { arrived, release } = holdProfiles(gateway);
      const send = () => call(`${gateway.url}/v1/me`, { headers: { authorization: 'Bearer t' } });
      const held = Array.from({ length: requestsInProgress }, send);
      await arrived(held.length);
      const refused = await send();
      expect([refused.status, refused.json.error?.code]).toEqual([503, code]);
      release();
      await Promise.all(held);
    },
  );

  it('given refused clients that do not read the response, when slots get free, then other requests are admitted', async () => {
    const queued = holdProfiles(gateway);
    const slow = await connected(gateway.url);
    // On one connection later responses are written after the first one, and until then their requests stay in progress.
    const request = 'GET /v1/me?access_token=t HTTP/1.1\r\nhost: x\r\n\r\n';
    slow.write(request);
    await queued.arrived(1);
    const { arrived, release } = holdProfiles(gateway);
    const held = Array.from({ length: requestsInProgress - 1 }, () => me());
    await arrived(held.length);
    slow.write(request.repeat(requestsInProgress));
    expect(await me()).toBe(503);
    release();
    expect(new Set(await Promise.all(held))).toEqual(new Set([200]));
    expect(await me()).toBe(200);
    queued.release();
    slow.destroy();
  });

  it('given every slot in use, when a file is asked for, then it comes: files take none', async () => {
    const { arrived, release } = holdProfiles(gateway);
    const held = Array.from({ length: requestsInProgress }, () => me());
    await arrived(held.length);
    for (const path of ['/docs', '/docs/interface.md', '/openapi.json', '/pictures/XX.svg']) {
      expect([path, (await call(gateway.url + path)).status]).toEqual([path, 200]);
    }
    release();
    await Promise.all(held);
  });

  it('given requests with unread responses, when their connection is lost, then their slots are free', async () => {
    const first = holdProfiles(gateway);
    const unread = await connected(gateway.url);
    const request = 'GET /v1/me?access_token=t HTTP/1.1\r\nhost: x\r\n\r\n';
    // Behind the first answer, which does not come, the others wait.
    unread.write(request);
    await first.arrived(1);
    gateway.answers['getProfile'] = () => Promise.resolve(aliceProfile);
    unread.write(request.repeat(requestsInProgress - 1));
    expect(await me()).toBe(200);
    unread.resetAndDestroy();
    first.release();
    const { arrived, release } = holdProfiles(gateway);
    const held = Array.from({ length: requestsInProgress }, () => me());
    await arrived(held.length);
    release();
    expect(new Set(await Promise.all(held))).toEqual(new Set([200]));
  });

  // Shows limit-21
  it('given an app with every slot, when another app asks, then it is answered, and the first is refused meanwhile', async () => {
    gateway.appIds.set(createHash('sha256').update('other').digest('hex'), 'other-app');
    const { arrived, release } = holdProfiles(gateway);
    const held = Array.from({ length: requestsInProgress }, () => me());
    await arrived(held.length);
    const other = me('other');
    expect(await me()).toBe(503);
    release();
    expect(await other).toBe(200);
    expect(new Set(await Promise.all(held))).toEqual(new Set([200]));
    const page = await gateway.metrics.text();
    expect(page).toContain(`settle_app_requests_total{app="demo-app",outcome="admitted"} ${requestsInProgress}`);
    expect(page).toContain('settle_app_requests_total{app="demo-app",outcome="refused"} 1');
    expect(page).toContain('settle_app_requests_total{app="other-app",outcome="admitted"} 1');
  });

  it.each(['/v1/payments', '/v1/oauth/sign-in'])(
    'given bodies for %s that never come, as many as there are places, when others ask, then they are answered',
    async (path) => {
      gateway.answers['getProfile'] = () => Promise.resolve(aliceProfile);
      const head = `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: ${FORM}\r\ncontent-length: 9\r\n\r\na=`;
      const stalled = await Promise.all(Array.from({ length: requestsInProgress }, () => connected(gateway.url)));
      await Promise.all(stalled.map((socket) => new Promise((sent) => socket.write(head, sent))));
      expect([await me(), (await call(`${gateway.url}/account`)).status]).toEqual([200, 200]);
      for (const socket of stalled) socket.destroy();
    },
  );

  it('given a request in progress, when the gateway closes, then it is answered first and no new one is taken', async () => {
    const { arrived, release } = holdProfiles(gateway);
    const running = me();
    await arrived(1);
    const closing = gateway.close();
    release();
    expect(await running).toBe(200);
    await closing;
    await expect(me()).rejects.toThrow('fetch failed');
  });
});

describe('requests without a valid token', () => {
  const { requestsInProgressPerAddress: most } = readSettings({});
  const from = (address: string, path: string, headers = {}): Promise<Answer> =>
    call(gateway.url + path, { headers: { 'x-forwarded-for': address, ...headers } });

  // Shows limit-22
  it('given an address with as many pages in progress as it may have, when more comes from there, then tokens alone are admitted', async () => {
    await gateway.close();
    gateway = await startGatewayUnderTest(() => ['access_profile'], { trustedProxies: 1, rateLimits: null });
    gateway.answers['getProfile'] = () => Promise.resolve(aliceProfile);
    const held = Array.from({ length: most }, () => from('203.0.113.1', HELD_PAGE));
    await eventually(() => expect(gateway.pageRequests).toHaveLength(most));
    const refused = await from('203.0.113.1', '/account');
    expect([refused.status, refused.json.error?.code, refused.headers.get('retry-after')]).toEqual([
      429,
      'rate_limited',
      '1',
    ]);
    const token = { authorization: 'Bearer t' };
    expect((await from('203.0.113.1', '/v1/me', token)).status).toBe(200);
    expect((await from('203.0.113.1', '/docs')).status).toBe(200);
    expect((await from('203.0.113.2', '/account')).status).toBe(200);
    await gateway.stopPages();
    await Promise.all(held);
  });

  // Shows limit-22
  it('given an app server with more valid tokens than an address may have requests, when all ask at once, then all are answered', async () => {
    const { arrived, release } = holdProfiles(gateway);
    const held = Array.from({ length: requestsInProgress }, (_, index) => me(`token-${index}`));
    await arrived(held.length);
    release();
    expect(new Set(await Promise.all(held))).toEqual(new Set([200]));
  });
});

describe('pages', () => {
  it('given headers about the connection, when a page is asked for, then they go no further in either direction', async () => {
    const socket = await connected(gateway.url);
    let answer = '';
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    const ended = once(socket, 'close');
    socket.write(
      'GET /account HTTP/1.1\r\nhost: x\r\nkeep-alive: timeout=5\r\nexpect: 100-continue\r\nconnection: close\r\n\r\n',
    );
    await ended;
    expect(answer).toMatch(/HTTP\/1\.1 200 OK[^]*\r\nconnection: close\r\n/i);
    expect(answer).not.toMatch(/keep-alive/i);
  });

  it.each([
    ['GET', 503, 'service_unavailable'],
    ['POST', 504, 'outcome_unknown'],
  ])('given that auth-service takes a %s and is lost, then %i: %s', async (method, status, code) => {
    const answer = await call(`${gateway.url}${LOST_PAGE}`, { method });
    expect([answer.status, answer.json.error?.code]).toEqual([status, code]);
  });

  it.each(['GET', 'POST'])(
    'given that auth-service is away, when a %s comes, then 503 says when again',
    async (method) => {
      await gateway.stopPages();
      const answer = await call(`${gateway.url}/account`, { method });
      expect([answer.status, answer.json.error?.code, answer.headers.get('retry-after')]).toEqual([
        503,
        'service_unavailable',
        '1',
      ]);
    },
  );
});
