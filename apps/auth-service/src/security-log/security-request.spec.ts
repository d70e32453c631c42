import { createHmac } from 'node:crypto';
import { buildSecurityRequest } from './security-request.js';

const KEY = Buffer.alloc(32, 7);
const REQUEST = { requestId: 'request-1', address: '192.0.2.1', userAgent: 'Mozilla/5.0 (X11; Linux x86_64)' };

const hashes = (change: Partial<typeof REQUEST>, key = KEY) => buildSecurityRequest(key, { ...REQUEST, ...change });

describe('buildSecurityRequest', () => {
  it('given a request, when its fields are built, then address and browser are 128 bits of HMAC-SHA-256', () => {
    const expected = (text: string) =>
      createHmac('sha256', KEY).update(text).digest().subarray(0, 16).toString('base64url');
    expect(hashes({})).toEqual({
      requestId: 'request-1',
      addressHash: expected('address\x00192.0.2.1'),
      browserHash: expected(`browser\x00${REQUEST.userAgent}`),
    });
    expect(hashes({}).addressHash).toMatch(/^[\w-]{22}$/);
  });

  it('given the same visitor, when the hashes are built again, then they are equal, and different with another key', () => {
    expect(hashes({ requestId: 'request-2' })).toEqual({ ...hashes({}), requestId: 'request-2' });
    const other = hashes({}, Buffer.alloc(32, 8));
    expect(other.addressHash).not.toBe(hashes({}).addressHash);
    expect(other.browserHash).not.toBe(hashes({}).browserHash);
  });

  it.each([
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', true],
    ['2001:db8:1:2::1', '2001:DB8:1:2:0::1', true],
    ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
    ['192.0.2.1', '::ffff:192.0.2.1', true],
    ['192.0.2.1', '192.0.2.2', false],
  ])(
    'given the addresses %s and %s, when they are hashed, then they are the same visitor: %p',
    (one, other, isSame) => {
      expect(hashes({ address: one }).addressHash === hashes({ address: other }).addressHash).toBe(isSame);
    },
  );

  it('given a client without a User-Agent, when its fields are built, then there is no hash of the browser', () => {
    const { requestId, address } = REQUEST;
    expect(buildSecurityRequest(KEY, { requestId, address, userAgent: undefined }).browserHash).toBeUndefined();
  });

  it('given a User-Agent that equals an address, when it is hashed, then the hash differs from that of the address', () => {
    expect(hashes({ userAgent: '192.0.2.1' }).browserHash).not.toBe(hashes({}).addressHash);
  });
});
