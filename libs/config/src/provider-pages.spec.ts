import { isProviderPage } from './provider-pages.js';

const PAGE_ORIGINS = ['https://pages.example', 'https://more.example:8443', 'http://127.0.0.1:3100'];

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
    ['http://127.0.0.1:3100/cards/1', true],
    ['http://127.0.0.1:3101/cards/1', false],
    ['http://127.0.0.1.evil.example:3100/', false],
    ['ftp://127.0.0.1:3100/', false],
    ['http://localhost:3100/cards/1', false],
    ['', false],
  ])('given %s, when it is checked, then a user may be sent there: %p', (address, isAllowed) => {
    expect(isProviderPage(address, PAGE_ORIGINS)).toBe(isAllowed);
  });
});
