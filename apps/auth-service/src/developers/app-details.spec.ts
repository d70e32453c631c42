import { readAppDetails } from './app-details.js';

const TYPED = {
  name: ' Split it ',
  description: 'Splits bills.',
  redirect_url: 'https://app.example/cb',
  more_redirect_urls: '',
  site_url: 'https://app.example/',
};

const NEW = { allowsPlainHttp: true, onFile: null };

describe('readAppDetails', () => {
  it('given everything, when read, then it is trimmed, and each address stands once, the web redirect URL first', () => {
    const more_redirect_urls = '\r\nhttps://b.example/cb\r\n  https://app.example/cb \n';
    expect(readAppDetails({ ...TYPED, more_redirect_urls }, NEW)).toEqual({
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
    ['a name with what cannot be seen', { name: 'Bank\u202e' }, ['name']],
    ['a name of fillers', { name: '\u3164\u115f' }, ['name']],
    ['a name with a joiner that is not seen', { name: 'Ba\u034fnk' }, ['name']],
    ['a name of empty Braille', { name: '\u2800' }, ['name']],
    ['a name of combining marks', { name: '\u0301\u0302' }, ['name']],
    ['our own name', { name: 'Settle support' }, ['name']],
    ['a name of punctuation', { name: '...' }, ['name']],
    ['a description of nothing that is seen', { description: '\u3164' }, ['description']],
    [
      'a name and a description with an emoji',
      { name: 'Split \u2764\ufe0f', description: 'We \u2764\ufe0f bills' },
      [],
    ],
    ['a long description', { description: 'x'.repeat(281) }, ['description']],
    ['a bad address', { redirect_url: 'http://app.example' }, ['redirect_url']],
    ['further addresses alone', { redirect_url: '', more_redirect_urls: 'https://b.example/cb' }, ['redirect_url']],
    ['a bad further address', { more_redirect_urls: 'https://b.example/cb#x' }, ['more_redirect_urls']],
    ['too many addresses', { more_redirect_urls: 'https://b.example/cb\n'.repeat(20) }, ['more_redirect_urls']],
    ['a site that is none', { site_url: 'javascript:alert(1)' }, ['site_url']],
    ['nothing but a name', { redirect_url: '', description: '', site_url: '' }, ['description', 'site_url']],
  ])('given %s, when read, then it is told', (_what, typed, faults) => {
    expect(Object.keys(readAppDetails({ ...TYPED, ...typed }, NEW).faults)).toEqual(faults);
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
  ])('given plain http is not allowed, when %s is typed, then it is refused unless it is loopback', (url, faults) => {
    const rules = { allowsPlainHttp: false, onFile: null };
    expect(Object.keys(readAppDetails({ ...TYPED, redirect_url: url }, rules).faults)).toEqual(faults);
    const more = readAppDetails({ ...TYPED, more_redirect_urls: url }, rules);
    expect(Object.keys(more.faults)).toEqual(faults.map(() => 'more_redirect_urls'));
  });

  it('given a name and an address on file that are no longer free, when they stay, then nothing is wrong', () => {
    const onFile = { name: 'Settle demo', redirectUrls: ['http://app.example/cb'] };
    const typed = { ...TYPED, name: onFile.name, redirect_url: 'http://app.example/cb' };
    expect(readAppDetails(typed, { allowsPlainHttp: false, onFile }).faults).toEqual({});
    const other = { ...typed, name: 'Settle now', redirect_url: 'http://app.example/other' };
    expect(Object.keys(readAppDetails(other, { allowsPlainHttp: false, onFile }).faults)).toEqual([
      'name',
      'redirect_url',
    ]);
  });
});
