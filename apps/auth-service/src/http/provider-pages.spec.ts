import { listProviderSources } from './provider-pages.js';

describe('the pages of the payment provider', () => {
  it('given the settings, when the sources of a policy are listed, then they are the origins, and in development this machine', () => {
    const pageOrigins = ['https://pages.example', 'https://more.example:8443'];
    expect(listProviderSources({ pageOrigins, allowLoopbackPages: false })).toEqual(pageOrigins);
    const sources = listProviderSources({ pageOrigins: [], allowLoopbackPages: true });
    expect(sources).toEqual(['http://localhost:*', 'http://127.0.0.1:*']);
  });
});
