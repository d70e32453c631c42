import { faultOfRedirectUrl } from '../authorize/redirect-uri.js';

/** What a developer says of an app, as typed. */
export interface TypedAppDetails {
  readonly name: string;
  readonly description: string;
  readonly redirect_url: string;
  /** One a line. */
  readonly more_redirect_urls: string;
  readonly site_url: string;
}

/** The same, read. */
export interface AppDetails {
  readonly name: string;
  readonly description: string;
  readonly siteUrl: string;
  /** The first is the web redirect URL. Empty: nobody can let the app in. */
  readonly redirectUrls: string[];
}

/** What is wrong with a field, in words for its developer. */
export type AppFaults = Partial<Record<keyof TypedAppDetails, string>>;

const LONGEST_NAME = 60;
const LONGEST_DESCRIPTION = 280;
const MOST_ADDRESSES = 20;
/** What shows in another direction than it is written could make one name look like another. */
const INVISIBLE = /\p{C}/u;

/** Reads what a developer says of an app: the details, or what is wrong with them. */
export function readAppDetails(typed: TypedAppDetails): { details: AppDetails; faults: AppFaults } {
  const lines = typed.more_redirect_urls.split('\n').map((line) => line.trim());
  const more = lines.filter((line) => line !== '');
  const first = typed.redirect_url.trim();
  const details = {
    name: typed.name.trim(),
    description: typed.description.trim(),
    siteUrl: typed.site_url.trim(),
    redirectUrls: [...new Set(first === '' ? more : [first, ...more])],
  };
  const faults: Record<keyof TypedAppDetails, string | null> = {
    name: faultOfText(details.name, LONGEST_NAME),
    description: faultOfText(details.description, LONGEST_DESCRIPTION),
    redirect_url: faultOfFirst(first, more),
    more_redirect_urls: faultOfMore(more),
    site_url: isWebAddress(details.siteUrl) ? null : 'It must be an address such as https://host/.',
  };
  const found = Object.entries(faults).filter((entry): entry is [string, string] => entry[1] !== null);
  return { details, faults: Object.fromEntries(found) };
}

function faultOfText(text: string, longest: number): string | null {
  if (text === '') return 'It is needed.';
  if (INVISIBLE.test(text)) return 'It holds characters that cannot be seen. Leave them out.';
  return [...text].length > longest ? `At most ${longest} characters.` : null;
}

function faultOfFirst(first: string, more: readonly string[]): string | null {
  if (first !== '') return faultOfRedirectUrl(first);
  return more.length > 0 ? 'It is needed when there are more addresses.' : null;
}

function faultOfMore(more: readonly string[]): string | null {
  if (more.length >= MOST_ADDRESSES) return `At most ${MOST_ADDRESSES} addresses in all.`;
  const bad = more.find((line) => faultOfRedirectUrl(line) !== null);
  return bad === undefined ? null : `${bad.slice(0, 80)}: ${faultOfRedirectUrl(bad)}`;
}

function isWebAddress(text: string): boolean {
  return /^https?:\/\/[^\s]+$/.test(text) && text.length <= 2_048 && URL.canParse(text);
}
