import { isSameOrigin } from './same-origin.js';

const LOCAL = 'http://localhost:3000';
const LAN = 'http://192.168.1.5:3000';
const HTTPS = 'https://pay.example';

describe('isSameOrigin', () => {
  it.each([
    [LOCAL, {}, true],
    [LOCAL, { origin: LOCAL }, true],
    [LOCAL, { origin: LOCAL, 'sec-fetch-site': 'same-origin' }, true],
    [LOCAL, { origin: 'null', 'sec-fetch-site': 'same-origin' }, true],
    [LOCAL, { origin: 'null' }, false],
    [HTTPS, { origin: 'null' }, false],
    [LAN, { origin: 'null' }, true],
    [LAN, { origin: LAN }, true],
    [LAN, { origin: 'http://evil.test' }, false],
    [HTTPS, { origin: 'http://pay.example' }, false],
    [HTTPS, { origin: 'https://pay.example.evil.test' }, false],
    [HTTPS, { origin: 'https://evil.test', 'sec-fetch-site': 'same-origin' }, false],
    [HTTPS, { origin: HTTPS, 'sec-fetch-site': 'cross-site' }, false],
    [HTTPS, { 'sec-fetch-site': 'same-site' }, false],
    [HTTPS, { 'sec-fetch-site': 'none' }, false],
  ])(
    'given the public URL %s and the headers %j, when the origin is checked, then the result is %s',
    (url, headers, isSame) => {
      expect(isSameOrigin(headers, url)).toBe(isSame);
    },
  );
});
