export interface PageRules {
  /** Origins of the payment provider's pages. */
  readonly pageOrigins: readonly string[];
}

/** Returns whether a user may be sent to this page of the payment provider. */
export function isProviderPage(address: string, { pageOrigins }: PageRules): boolean {
  if (!URL.canParse(address)) return false;
  const { origin, username, password } = new URL(address);
  return username === '' && password === '' && pageOrigins.includes(origin);
}
