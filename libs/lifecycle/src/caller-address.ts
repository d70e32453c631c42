const LONGEST_ADDRESS = 45;
const IPV4_IN_IPV6 = /^::ffff:(?=[0-9.]+$)/i;
const GROUPS = 8;
const NETWORK_GROUPS = 4;

/** Returns the caller for whom requests of an address count: an IPv6 address stands for its network of 64 bits. */
export function callerAtAddress(address: string | undefined): string {
  // The address of a connection that was reset is unknown.
  if (address === undefined) return '';
  if (!address.includes(':')) return address.slice(0, LONGEST_ADDRESS);
  const plain = address.slice(0, LONGEST_ADDRESS).replace(IPV4_IN_IPV6, '');
  return plain.includes(':') ? networkOf(plain) : plain;
}

/**
 * Returns the networks of an address, the smallest first: for IPv4 the address alone; for IPv6 those of 64, 56 and 48
 * bits, any of which a provider may give a customer (RFC 6177).
 */
export function networksAround(address: string): readonly [string, ...string[]] {
  const caller = callerAtAddress(address);
  if (!caller.includes(':')) return [caller];
  const [one = '0', two = '0', three = '0', four = '0'] = caller.split(':');
  const subnet = (Number.parseInt(four, 16) & 0xff00).toString(16);
  return [caller, `${one}:${two}:${three}:${subnet}/56`, `${one}:${two}:${three}/48`];
}

function networkOf(address: string): string {
  const [front = '', back] = address.split('::');
  const before = groupsOf(front);
  const after = groupsOf(back ?? '');
  const zeros = '0'.repeat(Math.max(GROUPS - before.length - after.length, 0));
  return [...before, ...zeros, ...after].slice(0, NETWORK_GROUPS).join(':');
}

/** The groups of an address, normalized. */
function groupsOf(text: string): string[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16).toString(16));
}
