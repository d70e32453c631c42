/** The pages that the account header links to. */
const ACCOUNT_PAGES = [
  { path: '/account', name: 'Profile' },
  { path: '/account/friends', name: 'Friends' },
  { path: '/account/funding', name: 'Money' },
  { path: '/account/security', name: 'Security' },
  { path: '/account/apps', name: 'Connected apps' },
  { path: '/developers', name: 'Your apps' },
] as const;

export type AccountPath = (typeof ACCOUNT_PAGES)[number]['path'];

/** The header of an account page. */
export interface AccountHeader {
  readonly pages: typeof ACCOUNT_PAGES;
  readonly currentPath: AccountPath;
  /** For the sign-out button. */
  readonly formToken: string;
}

export function buildAccountHeader(currentPath: AccountPath, { formToken }: { formToken: string }): AccountHeader {
  return { pages: ACCOUNT_PAGES, currentPath, formToken };
}
