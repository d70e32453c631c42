import { freshDatabase } from '@settle/testing';
import { PagesBrowser } from '../../test/pages-browser.fixture.js';
import { startAuth, type StartedAuth } from '../../test/started-auth.fixture.js';

let auth: StartedAuth;
beforeAll(async () => {
  auth = await startAuth(await freshDatabase());
});
afterAll(() => auth.stop());

describe('unrouted requests', () => {
  const send = (method: string, path: string, accept: string) =>
    fetch(auth.service.url + path, { method, headers: { accept } });

  it.each([
    ['POST', '/v1/oauth/authorize', 'GET, HEAD, OPTIONS'],
    ['PUT', '/v1/oauth/consent', 'OPTIONS, POST'],
    ['GET', '/v1/oauth/revoke', 'OPTIONS, POST'],
    ['HEAD', '/v1/oauth/access_token', 'DELETE, OPTIONS, POST'],
    ['PATCH', '/account/addresses/email/code', 'GET, HEAD, OPTIONS, POST'],
    ['PROPFIND', '/', 'GET, HEAD, OPTIONS'],
  ])(
    'given the request %s %s, when it is sent, then the status is 405 and Allow is %s',
    async (method, path, allow) => {
      const { status, headers } = await send(method, path, '*/*');
      expect([status, headers.get('allow'), headers.get('content-type')]).toEqual([
        405,
        allow,
        'application/json; charset=utf-8',
      ]);
    },
  );

  it('given a browser request with an unsupported method, when it is sent, then the response is a page with status 405', async () => {
    const { status, headers } = await send('PUT', '/account/sign-out', 'text/html');
    expect([status, headers.get('allow')]).toEqual([405, 'OPTIONS, POST']);
    expect(headers.get('content-type')).toMatch(/^text\/html/);
  });

  it.each([
    ['/account/password', '/account/security'],
    ['/account/funding/deposits', '/account/funding'],
    ['/account/funding/sources/remove', '/account/funding'],
    ['/account/addresses/email', '/account'],
    ['/account/addresses/email/remove', '/account'],
    [
      '/account/addresses/email/code/again?return_to=%2Fdevelopers',
      '/account/addresses/email/code?return_to=%2Fdevelopers',
    ],
    ['/account/friends/1', '/account/friends'],
    ['/developers/apps', '/developers'],
    ['/developers/apps/1/secret', '/developers/apps/1'],
    ['/developers/apps/1/secret/end-former', '/developers/apps/1'],
    ['/v1/oauth/sign-out?client_id=1', '/v1/oauth/authorize?client_id=1'],
  ])('given the path %s of a form, when a browser opens it, then it is redirected to %s', async (path, location) => {
    const { status, headers } = await new PagesBrowser(auth.service.url).get(path);
    expect([status, headers.get('location')]).toEqual([303, location]);
  });

  it.each(['/v1/oauth/consent', '/sandbox/v1/oauth/consent'])(
    'given the path %s of a form without a page, when a browser opens it, then a page says what to do',
    async (path) => {
      const response = await new PagesBrowser(auth.service.url).get(path);
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'OPTIONS, POST']);
      expect(await response.text()).toContain('return to the app and start again there');
    },
  );

  it('given the path of a form, when a program requests it, then the status is 405', async () => {
    expect((await send('GET', '/account/password', '*/*')).status).toBe(405);
  });

  it('given an OPTIONS request, when it is sent, then the status is 204 and Allow is set', async () => {
    const { status, headers } = await send('OPTIONS', '/v1/oauth/revoke?a=b', '*/*');
    expect([status, headers.get('allow')]).toEqual([204, 'OPTIONS, POST']);
  });

  it.each(['PUT', 'OPTIONS', 'PROPFIND'])(
    'given a %s request to an unknown path, when it is sent, then the status is 404',
    async (method) => {
      expect((await send(method, '/account/nothing', '*/*')).status).toBe(404);
    },
  );
});
