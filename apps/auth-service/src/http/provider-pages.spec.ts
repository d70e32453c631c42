import { listProviderSources } from './provider-pages.js';

describe('the pages of the payment provider', () => {
  it('given the settings, when the sources of a policy are listed, then they are the origins, and a scheme for an IPv6 address', () => {
    const pageOrigins = ['https://pages.example', 'http://127.0.0.1:3100', 'http://[::1]:3100'];
    expect(listProviderSources(pageOrigins)).toEqual(['https://pages.example', 'http://127.0.0.1:3100', 'http:']);
  });
});
