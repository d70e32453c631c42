import fc from 'fast-check';
import { faultOfRedirectUrl, resolveRedirectUri } from './redirect-uri.js';
import { URL_TRICKS } from './url-tricks.fixture.js';

const URLS = ['https://app.example/cb', 'http://127.0.0.1/done', 'http://[::1]:4000/done?from=settle'];
const REGISTERED = { redirectUrls: URLS, buildsAddresses: false };
const BUILDER = { redirectUrls: ['https://app.example/cb', 'http://a.example:8080/'], buildsAddresses: true };

describe('resolveRedirectUri', () => {
  it.each([...URLS, 'http://127.0.0.1:51000/done', 'http://[::1]/done?from=settle'])(
    'given %s, when asked for, then it is taken as it is',
    (uri) => {
      expect(resolveRedirectUri(REGISTERED, uri)).toBe(uri);
    },
  );

  it('given no address in the request, when resolved, then it is the first registered one', () => {
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
  ])('given %j, when asked for, then it goes nowhere', (uri) => {
    expect(resolveRedirectUri(REGISTERED, uri)).toBeNull();
  });

  it('given two parameters in a registered address, when asked for in another order, then it goes nowhere', () => {
    const registered = { redirectUrls: ['https://app.example/cb?a=1&b=2'], buildsAddresses: false };
    expect(resolveRedirectUri(registered, 'https://app.example/cb?a=1&b=2')).not.toBeNull();
    expect(resolveRedirectUri(registered, 'https://app.example/cb?b=2&a=1')).toBeNull();
  });

  it('given any text, when it is taken, then its origin is a registered one but for a loopback port', () => {
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
        const taken = resolveRedirectUri(REGISTERED, parts.join(''));
        if (taken === null) return;
        const { protocol, hostname } = new URL(taken);
        expect(
          URLS.map((one) => new URL(one)).some((one) => one.protocol === protocol && one.hostname === hostname),
        ).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe.each(Object.entries(URL_TRICKS))('tricks with %s', (_kind, tricks) => {
  it.each(tricks)('given %j, when asked for, then it goes nowhere, whether the app builds addresses or not', (uri) => {
    expect(resolveRedirectUri(REGISTERED, uri)).toBeNull();
    expect(resolveRedirectUri(BUILDER, uri)).toBeNull();
  });

  it.each(tricks)('given %j, when it can be registered, then browsers read it as it is written', (url) => {
    if (faultOfRedirectUrl(url) !== null) return;
    const { protocol, href } = new URL(url);
    expect([['http:', 'https:'].includes(protocol), href]).toEqual([true, url]);
  });
});

describe('addresses built on the fly', () => {
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
  ])('given %s, when the app builds addresses, then it is taken as it is', (uri) => {
    expect(resolveRedirectUri(BUILDER, uri)).toBe(uri);
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
  ])('given %s, when the app builds addresses, then it goes nowhere', (uri) => {
    expect(resolveRedirectUri(BUILDER, uri)).toBeNull();
  });

  it('given any text, when it is taken, then browsers go to a registered origin and below its path', () => {
    const pieces = fc.constantFrom(
      ...['https://app.example/cb', 'http://a.example:8080', '/', '/cb', '..', '.', '%2e', '%2f', '@', '\\', '?'],
      ...['#', ':', '8080', 'evil.test', 'x', '&', '=', 'code', '\t', '//', '%', 'é'],
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 9 }), (parts) => {
        const taken = resolveRedirectUri(BUILDER, parts.join(''));
        if (taken === null) return;
        const { origin, pathname } = new URL(taken);
        const isAt = (base: string) => origin === new URL(base).origin && pathname.startsWith(new URL(base).pathname);
        expect(BUILDER.redirectUrls.some(isAt)).toBe(true);
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('faultOfRedirectUrl', () => {
  it.each(['https://app.example/cb', 'http://127.0.0.1:9000/done', 'http://localhost:3000/', 'http://[::1]/done'])(
    'given %s, when it is to be registered, then it can be',
    (url) => {
      expect(faultOfRedirectUrl(url)).toBeNull();
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
  ])('given %s, when it is to be registered, then it is said what is wrong', (url) => {
    expect(faultOfRedirectUrl(url)).toMatch(/\.$/);
  });
});
