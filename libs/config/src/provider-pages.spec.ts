import { isProviderPage } from './provider-pages.js';

const PRODUCTION = { pageOrigins: ['https://pages.example', 'https://more.example:8443'], allowLoopbackPages: false };
const DEVELOPMENT = { pageOrigins: [], allowLoopbackPages: true };

describe('the pages of the payment provider', () => {
  it.each([
    ['https://pages.example/cards/1?x=1', true],
    ['https://more.example:8443/', true],
    ['https://pages.example:8443/', false],
    ['https://pages.example.evil.example/', false],
    ['https://pages.example@evil.example/', false],
    ['https://user@pages.example/', false],
    ['http://pages.example/', false],
    ['javascript:alert(1)//https://pages.example', false],
    ['//pages.example/', false],
    ['http://localhost:3999/cards/1', false],
    ['', false],
  ])('given %s in production, when it is checked, then a user may be sent there: %p', (address, isAllowed) => {
    expect(isProviderPage(address, PRODUCTION)).toBe(isAllowed);
  });

  it.each([
    ['http://localhost:3999/cards/1', true],
    ['http://127.0.0.1/', true],
    ['ftp://127.0.0.1/', false],
    ['http://127.0.0.1.evil.example/', false],
    ['https://pages.example/', false],
  ])('given %s in development, when it is checked, then a user may be sent there: %p', (address, isAllowed) => {
    expect(isProviderPage(address, DEVELOPMENT)).toBe(isAllowed);
  });
});
