/** Where whoever is signed in can go; the head of their pages leads there. */
export const ACCOUNT_PLACES = [
  { path: '/account', name: 'Profile' },
  { path: '/account/friends', name: 'Friends' },
  { path: '/account/funding', name: 'Cards' },
  { path: '/account/security', name: 'Security' },
  { path: '/account/apps', name: 'Connected apps' },
  { path: '/developers', name: 'Your apps' },
] as const;

export type AccountPath = (typeof ACCOUNT_PLACES)[number]['path'];

/** What the head of a page of an account shows. */
export interface AccountHead {
  readonly places: typeof ACCOUNT_PLACES;
  readonly at: AccountPath;
  readonly formToken: string;
}

export function accountHead(at: AccountPath, formToken: string): AccountHead {
  return { places: ACCOUNT_PLACES, at, formToken };
}
