import { readAppDetails } from './app-details.js';

const TYPED = {
  name: ' Split it ',
  description: 'Splits bills.',
  redirect_url: 'https://app.example/cb',
  more_redirect_urls: '',
  site_url: 'https://app.example/',
};

describe('readAppDetails', () => {
  it('given everything, when read, then it is trimmed, and each address stands once, the web redirect URL first', () => {
    const more_redirect_urls = '\r\nhttps://b.example/cb\r\n  https://app.example/cb \n';
    expect(readAppDetails({ ...TYPED, more_redirect_urls })).toEqual({
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
    ['a long description', { description: 'x'.repeat(281) }, ['description']],
    ['a bad address', { redirect_url: 'http://app.example' }, ['redirect_url']],
    ['further addresses alone', { redirect_url: '', more_redirect_urls: 'https://b.example/cb' }, ['redirect_url']],
    ['a bad further address', { more_redirect_urls: 'https://b.example/cb#x' }, ['more_redirect_urls']],
    ['too many addresses', { more_redirect_urls: 'https://b.example/cb\n'.repeat(20) }, ['more_redirect_urls']],
    ['a site that is none', { site_url: 'javascript:alert(1)' }, ['site_url']],
    ['nothing but a name', { redirect_url: '', description: '', site_url: '' }, ['description', 'site_url']],
  ])('given %s, when read, then it is told', (_what, typed, faults) => {
    expect(Object.keys(readAppDetails({ ...TYPED, ...typed }).faults)).toEqual(faults);
  });
});
