const LONGEST_ADDRESS = 45;
const IPV4_IN_IPV6 = /^::ffff:(?=[0-9.]+$)/i;
const GROUPS = 8;
const NETWORK_GROUPS = 4;

/** Whom requests of an address count for: one who has an IPv6 address has the 64 bits behind its network as well. */
export function callerAtAddress(address: string): string {
  if (!address.includes(':')) return address.slice(0, LONGEST_ADDRESS);
  const plain = address.slice(0, LONGEST_ADDRESS).replace(IPV4_IN_IPV6, '');
  return plain.includes(':') ? networkOf(plain) : plain;
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
