/** The loopback interface by number: names can be made to lead elsewhere. */
const LOOPBACK = /^http:\/\/(127\.0\.0\.1|\[::1\])(?::([1-9][0-9]{0,4}))?(\/.*)?$/;
const LARGEST_PORT = 65_535;

/**
 * Where the answer to an authorization request goes, or null when it may go nowhere. `asked` must be one of the
 * registered addresses, character for character; a loopback address may name another port, since programs on a desk
 * listen where they can. When nothing is asked for it is the first of `registered`.
 */
export function resolveRedirectUri(registered: readonly string[], asked: string | undefined): string | null {
  if (asked === undefined) return registered[0] ?? null;
  const isRegistered = registered.some((one) => one === asked || differInPortOnly(one, asked));
  return isRegistered ? asked : null;
}

function differInPortOnly(registered: string, asked: string): boolean {
  const known = LOOPBACK.exec(registered);
  const other = LOOPBACK.exec(asked);
  if (!known || !other) return false;
  return known[1] === other[1] && known[3] === other[3] && Number(other[2] ?? 80) <= LARGEST_PORT;
}
