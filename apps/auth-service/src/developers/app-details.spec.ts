import { parseAppDetails } from './app-details.js';

const INPUT = {
  name: ' Split it ',
  description: 'Splits bills.',
  redirect_url: 'https://app.example/cb',
  more_redirect_urls: '',
  site_url: 'https://app.example/',
};

const NEW_APP = { allowsPlainHttp: true, current: null };

describe('parseAppDetails', () => {
  it('given all fields, when parsed, then they are trimmed, and the redirect URLs are unique with the web redirect URL first', () => {
    const more_redirect_urls = '\r\nhttps://b.example/cb\r\n  https://app.example/cb \n';
    expect(parseAppDetails({ ...INPUT, more_redirect_urls }, NEW_APP)).toEqual({
      details: {
        name: 'Split it',
        description: 'Splits bills.',
        siteUrl: 'https://app.example/',
        redirectUrls: ['https://app.example/cb', 'https://b.example/cb'],
      },
      faults: {},
    });
  });

  it.each([
    ['no name', { name: ' ' }, ['name']],
    ['a name of 61 characters', { name: 'x'.repeat(61) }, ['name']],
    ['a name with an invisible character', { name: 'Bank\u202e' }, ['name']],
    ['a name of fillers', { name: '\u3164\u115f' }, ['name']],
    ['a name with an invisible joiner', { name: 'Ba\u034fnk' }, ['name']],
    ['a name of empty Braille', { name: '\u2800' }, ['name']],
    ['a name of combining marks', { name: '\u0301\u0302' }, ['name']],
    ['the product name', { name: 'Settle support' }, ['name']],
    ['a name of punctuation', { name: '...' }, ['name']],
    ['a description of invisible characters', { description: '\u3164' }, ['description']],
    [
      'a name and a description with an emoji',
      { name: 'Split \u2764\ufe0f', description: 'We \u2764\ufe0f bills' },
      [],
    ],
    ['a long description', { description: 'x'.repeat(281) }, ['description']],
    ['an invalid redirect URL', { redirect_url: 'http://app.example' }, ['redirect_url']],
    ['only further redirect URLs', { redirect_url: '', more_redirect_urls: 'https://b.example/cb' }, ['redirect_url']],
    ['an invalid further redirect URL', { more_redirect_urls: 'https://b.example/cb#x' }, ['more_redirect_urls']],
    ['too many redirect URLs', { more_redirect_urls: 'https://b.example/cb\n'.repeat(20) }, ['more_redirect_urls']],
    ['an invalid site URL', { site_url: 'javascript:alert(1)' }, ['site_url']],
    ['a site URL with a username', { site_url: 'https://yourbank.example@a.example/' }, ['site_url']],
    ['a site URL with a password', { site_url: 'https://:x@a.example/' }, ['site_url']],
    ['a site URL with @ in its path', { site_url: 'https://a.example/@team' }, []],
    ['only a name', { redirect_url: '', description: '', site_url: '' }, ['description', 'site_url']],
  ])('given %s, when parsed, then the faults name the fields', (_case, change, faults) => {
    expect(Object.keys(parseAppDetails({ ...INPUT, ...change }, NEW_APP).faults)).toEqual(faults);
  });

  it.each([
    [{ site_url: 'https://yourbank.example@a.example/' }, 'Remove the username and the password'],
    [{ site_url: 'a.example' }, 'Enter a URL such as https://host/.'],
    [{ site_url: `https://a.example/${'x'.repeat(2_048)}` }, 'Use at most 2048 characters.'],
    [{ redirect_url: `https://a.example/${'x'.repeat(2_048)}` }, 'Use at most 2048 characters.'],
    [{ redirect_url: 'HTTPS://a.example/cb' }, 'Write https:// in lowercase letters.'],
    [{ redirect_url: 'a.example/cb' }, 'Enter a URL such as https://host/path'],
  ])('given %j, when parsed, then the fault says: %s', (change, message) => {
    const { faults } = parseAppDetails({ ...INPUT, ...change }, NEW_APP);
    expect(Object.values(faults)).toEqual([expect.stringContaining(message)]);
  });

  it.each([
    ['http://app.example/cb', ['redirect_url']],
    ['http://app.example:8080/cb', ['redirect_url']],
    ['http://localhost.app.example/cb', ['redirect_url']],
    ['http://127.0.0.1.app.example/cb', ['redirect_url']],
    ['http://localhost:8080/cb', []],
    ['http://127.0.0.1/cb', []],
    ['http://[::1]:80801/cb', ['redirect_url']],
    ['http://[::1]:8080/cb', []],
    ['https://app.example/cb', []],
  ])(
    'given that plain http is not allowed, when %s is entered, then it is rejected unless it is loopback',
    (url, faults) => {
      const rules = { allowsPlainHttp: false, current: null };
      expect(Object.keys(parseAppDetails({ ...INPUT, redirect_url: url }, rules).faults)).toEqual(faults);
      const more = parseAppDetails({ ...INPUT, more_redirect_urls: url }, rules);
      expect(Object.keys(more.faults)).toEqual(faults.map(() => 'more_redirect_urls'));
    },
  );

  it('given a registered name and redirect URL that are no longer allowed, when they stay unchanged, then there are no faults', () => {
    const current = { name: 'Settle demo', redirectUrls: ['http://app.example/cb'] };
    const unchanged = { ...INPUT, name: current.name, redirect_url: 'http://app.example/cb' };
    expect(parseAppDetails(unchanged, { allowsPlainHttp: false, current }).faults).toEqual({});
    const changed = { ...unchanged, name: 'Settle now', redirect_url: 'http://app.example/other' };
    expect(Object.keys(parseAppDetails(changed, { allowsPlainHttp: false, current }).faults)).toEqual([
      'name',
      'redirect_url',
    ]);
  });
});
