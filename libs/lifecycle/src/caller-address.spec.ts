import fc from 'fast-check';
import { callerAtAddress, networksAround } from './caller-address.js';

describe('the caller at an address', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:0DB8:0001:0002::1', '2001:db8:1:2'],
    ['2001:db8:1:2::', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['1::2:3:4:5:6:7', '1:0:2:3'],
    ['::1', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
  ])('given %s, then requests count for %s', (address, caller) => {
    expect(callerAtAddress(address)).toBe(caller);
  });

  it('given whatever a proxy may claim, then it is short and does not throw', () => {
    fc.assert(fc.property(fc.string({ maxLength: 200 }), (text) => callerAtAddress(text).length <= 200));
  });
});

describe('the networks around an address', () => {
  it.each([
    ['203.0.113.7', ['203.0.113.7']],
    ['::ffff:203.0.113.7', ['203.0.113.7']],
    ['2001:db8:1:abcd:3:4:5:6', ['2001:db8:1:abcd', '2001:db8:1:ab00/56', '2001:db8:1/48']],
    ['2001:db8:1:ab:3:4:5:6', ['2001:db8:1:ab', '2001:db8:1:0/56', '2001:db8:1/48']],
    ['::1', ['0:0:0:0', '0:0:0:0/56', '0:0:0/48']],
  ])('given %s, then they are of 64, 56 and 48 bits for IPv6, and the address alone for IPv4', (address, networks) => {
    expect(networksAround(address)).toEqual(networks);
  });

  it('given any text that a proxy may send, when read, then it does not throw', () => {
    fc.assert(fc.property(fc.string({ maxLength: 200 }), (text) => networksAround(text).length >= 1));
  });
});
