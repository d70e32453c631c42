/**
 * Returns whether a user may be sent to this page of the payment provider.
 * @param pageOrigins of the provider's pages
 */
export function isProviderPage(address: string, pageOrigins: readonly string[]): boolean {
  if (!URL.canParse(address)) return false;
  const { origin, username, password } = new URL(address);
  return username === '' && password === '' && pageOrigins.includes(origin);
}
