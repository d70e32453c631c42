import { createHash } from 'node:crypto';
import { DEMO_USERS, SCOPES, type Scope } from '@settle/contracts';
import { call, startGatewayUnderTest, type GatewayUnderTest } from '../../test/gateway.fixture.js';
import { EXAMPLE_PAYMENT_ID } from '../responses/payments.js';
import { OPERATIONS } from '../openapi/operations.js';

const scopeByHash = new Map(SCOPES.map((scope) => [createHash('sha256').update(scope).digest('hex'), scope]));

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGatewayUnderTest((hash) => {
    const scope = scopeByHash.get(hash);
    return scope === undefined ? null : [scope];
  });
});
afterAll(() => gateway.close());

const get = (path: string, init: RequestInit = {}): Promise<Response> => fetch(gateway.url + path, init);

/** Whether a token with nothing but this scope gets past the check of scopes. */
async function isLetIn(method: string, path: string, scope: Scope): Promise<boolean> {
  const url = `${gateway.url}/v1${path}`
    .replace('{user_id}', DEMO_USERS.bob.id)
    .replace('{payment}', EXAMPLE_PAYMENT_ID);
  const { json } = await call(url, { method, headers: { authorization: `Bearer ${scope}` } });
  return json.error?.code !== 'insufficient_scope';
}

describe('the reference', () => {
  it.each(OPERATIONS.map(({ method, path, scopes }) => ({ method: method.toUpperCase(), path, scopes })))(
    'given a token for each scope, when $method $path is called, then only the scopes that the document names give access',
    async ({ method, path, scopes }) => {
      const letIn = [];
      for (const scope of SCOPES) if (await isLetIn(method, path, scope)) letIn.push(scope);
      expect(letIn.sort()).toEqual([...scopes].sort());
    },
  );

  it('given no token, when /openapi.json is asked for, then the document comes and may be kept for a while', async () => {
    const answer = await get('/openapi.json');
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([
      200,
      'application/json; charset=utf-8',
      'public, max-age=300',
    ]);
    await expect(answer.json()).resolves.toMatchObject({
      openapi: '3.1.0',
      servers: [{ url: 'http://localhost:3000/v1' }, { url: 'http://localhost:3000/sandbox/v1' }],
    });
  });

  it('given the guides, when every link to a page is followed, then each page is there', async () => {
    const guides = ['/docs/interface.md', '/docs/sandbox.md', '/docs/errors.md'];
    for (const guide of guides) {
      const answer = await get(guide);
      expect([guide, answer.status, answer.headers.get('content-type')]).toEqual([
        guide,
        200,
        'text/plain; charset=utf-8',
      ]);
      const links = [...(await answer.text()).matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, link = '']) => link);
      for (const link of links) {
        const { pathname } = new URL(link, gateway.url + guide);
        expect([guide, link, (await get(pathname)).status]).toEqual([guide, link, 200]);
      }
    }
    expect(await (await get('/docs/interface.md')).text()).toContain('](errors.md)');
  });

  // Shows limit-30
  it('given /docs, when it is opened, then all that it loads is ours, is there, and nothing stands inline', async () => {
    const page = await get('/docs');
    const html = await page.text();
    const policy = page.headers.get('content-security-policy');
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; /);
    expect(policy).not.toContain('unsafe');
    expect(page.headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(html).not.toMatch(/<style|\sstyle=|\son[a-z]+=|<script[^>]*>[^<]/);
    const loaded = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url = '']) => url);
    expect(loaded).toHaveLength(5);
    for (const url of loaded) {
      expect(url).toMatch(/^\/[^/]/);
      expect((await get(url)).status).toBe(200);
    }
  });

  // Shows limit-31
  it('given the reference, when its link to the rules in words is followed, then they come as text', async () => {
    const { info } = (await (await get('/openapi.json')).json()) as { info: { description: string } };
    const [, link = ''] = /\]\((\/docs\/[^)]+)\)/.exec(info.description) ?? [];
    const answer = await get(link);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(await answer.text()).toMatch(/^# API reference\n/);
  });

  it('given a file of the viewer, when it is asked for, then it comes whole and may be kept for good', async () => {
    const html = await (await get('/docs')).text();
    const [script = ''] = /\/docs\/[^"]+bundle\.js/.exec(html) ?? [];
    const answer = await get(script);
    expect(answer.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect((await answer.arrayBuffer()).byteLength).toBe(Number(answer.headers.get('content-length')));
    const head = await get(script, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  it.each(['/docs/1.0.0/swagger-ui.css', '/docs/x/..%2fpackage.json', '/docs/x/package.json', '/docs/nothing'])(
    'given %s, when it is requested, then the response is an uncached 404',
    async (path) => {
      const answer = await call(gateway.url + path);
      expect([answer.status, answer.json.error?.code]).toEqual([404, 'resource_not_found']);
      expect(answer.headers.get('cache-control')).toBe('no-store, private');
    },
  );
});
