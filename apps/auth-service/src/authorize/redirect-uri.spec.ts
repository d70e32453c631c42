import fc from 'fast-check';
import { resolveRedirectUri } from './redirect-uri.js';

const REGISTERED = ['https://app.example/cb', 'http://127.0.0.1/done', 'http://[::1]:4000/done?from=settle'];

describe('resolveRedirectUri', () => {
  it.each([...REGISTERED, 'http://127.0.0.1:51000/done', 'http://[::1]/done?from=settle'])(
    'given %s, when asked for, then it is taken as it is',
    (uri) => {
      expect(resolveRedirectUri(REGISTERED, uri)).toBe(uri);
    },
  );

  it('given no address in the request, when resolved, then it is the first registered one', () => {
    expect(resolveRedirectUri(REGISTERED, undefined)).toBe('https://app.example/cb');
    expect(resolveRedirectUri([], undefined)).toBeNull();
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
  ])('given %s, when asked for, then it goes nowhere', (uri) => {
    expect(resolveRedirectUri(REGISTERED, uri)).toBeNull();
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
          REGISTERED.map((one) => new URL(one)).some((one) => one.protocol === protocol && one.hostname === hostname),
        ).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});
