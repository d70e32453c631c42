import { aliceProfile, call, startGatewayUnderTest, type GatewayUnderTest } from '../../test/gateway.fixture.js';
import { answerTo } from '../../test/raw-requests.fixture.js';

let gateway: GatewayUnderTest;
afterEach(() => gateway.close());

const REQUESTS = [
  '/v1/me?access_token=t',
  '/v1/me',
  '/nowhere',
  '/v1/%zz',
  '/openapi.json',
  '/docs',
  '/account',
  '/pictures/XX.svg',
];

describe('headers of every answer', () => {
  // Shows limit-24
  it.each([
    ['https://pay.example.com', 'max-age=31536000'],
    ['http://localhost:3000', null],
  ])(
    'given the public address %s, when anything is asked, then it may not be sniffed, and only https makes browsers stay with it',
    async (publicUrl, transport) => {
      gateway = await startGatewayUnderTest(() => ['access_profile'], { publicUrl });
      gateway.answers['getProfile'] = () => Promise.resolve(aliceProfile);
      for (const path of REQUESTS) {
        const { headers } = await call(gateway.url + path);
        const found = ['x-content-type-options', 'strict-transport-security'].map((name) => headers.get(name));
        expect([path, ...found]).toEqual([path, 'nosniff', transport]);
      }
      expect(await answerTo(gateway.url, 'HELLO\r\n\r\n')).toContain('\r\nx-content-type-options: nosniff\r\n');
    },
  );
});
