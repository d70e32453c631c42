import fc from 'fast-check';
import { findRedirectUrlFault, resolveRedirectUri } from './redirect-uri.js';
import { MALICIOUS_REDIRECT_URIS } from '../../test/authorize/malicious-redirect-uris.fixture.js';

const URLS = ['https://app.example/cb', 'http://127.0.0.1/done', 'http://[::1]:4000/done?from=settle'];
const REGISTERED = { redirectUrls: URLS, buildsAddresses: false };
const SUBPATHS_ALLOWED = { redirectUrls: ['https://app.example/cb', 'http://a.example:8080/'], buildsAddresses: true };

describe('resolveRedirectUri', () => {
  it.each([...URLS, 'http://127.0.0.1:51000/done', 'http://[::1]/done?from=settle'])(
    'given %s, when resolved, then it is returned unchanged',
    (uri) => {
      expect(resolveRedirectUri(REGISTERED, uri)).toBe(uri);
    },
  );

  it('given a request without a redirect URI, when resolved, then it is the first registered one', () => {
    expect(resolveRedirectUri(REGISTERED, undefined)).toBe('https://app.example/cb');
    expect(resolveRedirectUri({ redirectUrls: [], buildsAddresses: true }, undefined)).toBeNull();
  });

  it.each([
    'http://127.0.0.1:0/done',
    'http://127.0.0.1:65536/done',
    'http://127.0.0.1:/done',
    'http://127.0.0.1:080/done',
    'http://127.0.0.1:80@evil.test/done',
    'http://127.0.0.1:80/done?x=1',
    'http://127.0.0.1:80/done#x',
    'http://127.0.0.1:80/other',
    'http://127.0.0.2:80/done',
    'http://localhost:80/done',
    'https://127.0.0.1:80/done',
    'http://[::1]:80/done',
    'http://127.0.0.1.evil.test/done',
    'http://127.0.0.1./done',
    'http://127.1/done',
    'http://0x7f000001/done',
    'http://2130706433/done',
    'http://0177.0.0.1/done',
    'http://127.0.0.1:8_0/done',
    'http://127.0.0.1:80:80/done',
    'http://127.0.0.1:80/../done',
    'http://127.0.0.1:80/done/',
    'http://127.0.0.1:80\\done',
    'http://127.0.0.1:80/done\n',
    'http://user@127.0.0.1:80/done',
    'HTTP://127.0.0.1:80/done',
    'http://[0:0:0:0:0:0:0:1]/done?from=settle',
    'http://[::ffff:127.0.0.1]/done?from=settle',
    'http://[::1%25lo]/done?from=settle',
    'http://[::1]:4000/done?from=another',
    'http://[::1]:4000/done?from=settle&x=1',
    'http://[::1]:4000/done?x=1&from=settle',
    'http://[::1]:4000/done?from=settle#x',
  ])('given %j, when resolved, then it is rejected', (uri) => {
    expect(resolveRedirectUri(REGISTERED, uri)).toBeNull();
  });

  it('given a registered URI with two parameters, when requested with another order, then it is rejected', () => {
    const registered = { redirectUrls: ['https://app.example/cb?a=1&b=2'], buildsAddresses: false };
    expect(resolveRedirectUri(registered, 'https://app.example/cb?a=1&b=2')).not.toBeNull();
    expect(resolveRedirectUri(registered, 'https://app.example/cb?b=2&a=1')).toBeNull();
  });

  it('given any text, when it is accepted, then its origin is registered, except for a loopback port', () => {
    const pieces = fc.constantFrom(
      'https://',
      'http://',
      'app.example',
      '127.0.0.1',
      '[::1]',
      ':',
      '8',
      '@',
      '/cb',
      '/done',
      '#',
      '?',
      '\\',
      '%2f',
      '.',
      'evil',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => {
        const resolved = resolveRedirectUri(REGISTERED, parts.join(''));
        if (resolved === null) return;
        const { protocol, hostname } = new URL(resolved);
        expect(
          URLS.map((url) => new URL(url)).some((url) => url.protocol === protocol && url.hostname === hostname),
        ).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe.each(Object.entries(MALICIOUS_REDIRECT_URIS))('malicious URIs: %s', (_kind, uris) => {
  it.each(uris)('given %j, when resolved with or without subpaths, then it is rejected', (uri) => {
    expect(resolveRedirectUri(REGISTERED, uri)).toBeNull();
    expect(resolveRedirectUri(SUBPATHS_ALLOWED, uri)).toBeNull();
  });

  it.each(uris)('given %j, when it can be registered, then browsers parse it unchanged', (url) => {
    if (findRedirectUrlFault(url) !== null) return;
    const { protocol, href } = new URL(url);
    expect([['http:', 'https:'].includes(protocol), href]).toEqual([true, url]);
  });
});

describe('redirect URIs below a registered one', () => {
  it.each([
    'https://app.example/cb',
    'https://app.example/cb/',
    'https://app.example/cb/child/7',
    'https://app.example/cb?x=1&y=%C3%A9',
    'https://app.example/cb/child?states=1',
    'https://app.example/cb/...',
    'https://app.example/cb/a;b=c',
    'https://app.example/cb/a%20b%C3%A9',
    'https://app.example/cb?next=https://evil.test/',
    'http://a.example:8080/',
    'http://a.example:8080/anything',
  ])('given %s, when subpaths are allowed, then it is returned unchanged', (uri) => {
    expect(resolveRedirectUri(SUBPATHS_ALLOWED, uri)).toBe(uri);
  });

  it.each([
    'http://app.example/cb/child',
    'https://app.example:8443/cb/child',
    'https://app.example:443/cb/child',
    'https://user@app.example/cb/child',
    'https://app.example.evil.test/cb/child',
    'https://app.example@evil.test/cb/child',
    'https://APP.example/cb/child',
    'https://app.example/cb123',
    'https://app.example/CB/child',
    'https://app.example/other',
    'https://app.example/cb/../x',
    'https://app.example/cb/.',
    'https://app.example/cb/%2e%2E/x',
    'https://app.example/cb/.%2e',
    'https://app.example/cb/a%2Fb',
    'https://app.example/cb/a%5cb',
    'https://app.example/cb//evil.test',
    'https://app.example/cb/%zz',
    'https://app.example/cb\\child',
    'https://app.example/cb/child#x',
    'https://app.example/cb/chi ld',
    'https://app.example/cb/chi\tld',
    'https://app.example/cb/é',
    'https://app.example/cb?code=1',
    'https://app.example/cb?x=1&access_token=1',
    'https://app.example/cb?%73tate=1',
    'https://app.example/cb?iss=x',
    'https://app.example/cb?%zz=1',
    `https://app.example/cb?${'x'.repeat(2_048)}`,
  ])('given %s, when subpaths are allowed, then it is rejected', (uri) => {
    expect(resolveRedirectUri(SUBPATHS_ALLOWED, uri)).toBeNull();
  });

  it('given any text, when it is accepted, then browsers go to a registered origin at or below its path', () => {
    const pieces = fc.constantFrom(
      ...['https://app.example/cb', 'http://a.example:8080', '/', '/cb', '..', '.', '%2e', '%2f', '@', '\\', '?'],
      ...['#', ':', '8080', 'evil.test', 'x', '&', '=', 'code', '\t', '//', '%', 'é'],
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 9 }), (parts) => {
        const resolved = resolveRedirectUri(SUBPATHS_ALLOWED, parts.join(''));
        if (resolved === null) return;
        const { origin, pathname } = new URL(resolved);
        const isBelow = (base: string) =>
          origin === new URL(base).origin && pathname.startsWith(new URL(base).pathname);
        expect(SUBPATHS_ALLOWED.redirectUrls.some(isBelow)).toBe(true);
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('findRedirectUrlFault', () => {
  it.each(['https://app.example/cb', 'http://127.0.0.1:9000/done', 'http://localhost:3000/', 'http://[::1]/done'])(
    'given %s, when registered, then it is accepted',
    (url) => {
      expect(findRedirectUrlFault(url)).toBeNull();
    },
  );

  it.each([
    '',
    'app.example/cb',
    'https://app.example',
    'ftp://app.example/cb',
    'javascript:alert(1)',
    'https://app.example/cb#x',
    'https://app.example/cb?x=1',
    'https://APP.example/cb',
    'https://app.example:443/cb',
    'https://user:pass@app.example/cb',
    'https://app.example/a/../cb',
    'https://app.example/a//cb',
    'https://app.example/a b',
    'https://exämple.test/cb',
    'https://*.app.example/cb',
    'https:///cb',
    'https://app.example:99999/cb',
    `https://app.example/${'x'.repeat(2_048)}`,
  ])('given %s, when registered, then the fault is returned', (url) => {
    expect(findRedirectUrlFault(url)).toMatch(/\.$/);
  });
});
