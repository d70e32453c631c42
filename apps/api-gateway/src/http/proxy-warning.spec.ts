import { startGatewayUnderTest } from '../../test/gateway.fixture.js';

const WARNED = /"level":"warn"[^\n]*TRUSTED_PROXIES is 0/;

describe('a gateway behind a proxy', () => {
  it.each([
    ['https://pay.example', 0, true],
    ['https://pay.example', 1, false],
    ['http://localhost:3000', 0, false],
  ])('given %s and %i trusted proxies, when it starts, then it warns: %s', async (publicUrl, trustedProxies, warns) => {
    const gateway = await startGatewayUnderTest(() => null, { publicUrl, trustedProxies });
    try {
      expect(gateway.logged.some((line) => WARNED.test(line))).toBe(warns);
    } finally {
      await gateway.close();
    }
  });
});
