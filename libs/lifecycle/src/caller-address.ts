const LONGEST_ADDRESS = 45;
const IPV4_IN_IPV6 = /^::ffff:(?=[0-9.]+$)/i;
const GROUPS = 8;
const NETWORK_GROUPS = 4;

/** Whom requests of an address count for: one who has an IPv6 address has the 64 bits behind its network as well. */
export function callerAtAddress(address: string | undefined): string {
  // That of a connection which was reset is not known any more.
  if (address === undefined) return '';
  if (!address.includes(':')) return address.slice(0, LONGEST_ADDRESS);
  const plain = address.slice(0, LONGEST_ADDRESS).replace(IPV4_IN_IPV6, '');
  return plain.includes(':') ? networkOf(plain) : plain;
}

/**
 * The networks that an address belongs to, the smallest first: of IPv4 the address alone; of IPv6 those of 64, 56 and
 * 48 bits, as a provider gives a customer any of them (RFC 6177).
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

/** Each in one spelling. */
function groupsOf(text: string): string[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16).toString(16));
}
