import { hasInvisible, isReadable } from '../pages/visible-text.js';
import { isPlainHttp } from '../authorize/http-redirects.js';
import { faultOfRedirectUrl } from '../authorize/redirect-uri.js';
import { readsLikeOurName } from './reserved-names.js';

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

/** What holds for the app whose details are read. */
export interface AppRules {
  /** Whether new addresses may be of plain http. */
  readonly allowsPlainHttp: boolean;
  /** The app as it is; null: it is new. What stays as it was is not refused. */
  readonly onFile: Pick<AppDetails, 'name' | 'redirectUrls'> | null;
}

/** What is wrong with a field, in words for its developer. */
export type AppFaults = Partial<Record<keyof TypedAppDetails, string>>;

const LONGEST_NAME = 60;
const LONGEST_DESCRIPTION = 280;
const MOST_ADDRESSES = 20;

/** Reads what a developer says of an app: the details, or what is wrong with them. */
export function readAppDetails(typed: TypedAppDetails, rules: AppRules): { details: AppDetails; faults: AppFaults } {
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
    name: faultOfText(details.name, LONGEST_NAME) ?? faultOfName(details.name, rules),
    description: faultOfText(details.description, LONGEST_DESCRIPTION),
    redirect_url: faultOfFirst(first, more, rules),
    more_redirect_urls: faultOfMore(more, rules),
    site_url: isWebAddress(details.siteUrl) ? null : 'It must be an address such as https://host/.',
  };
  const found = Object.entries(faults).filter((entry): entry is [string, string] => entry[1] !== null);
  return { details, faults: Object.fromEntries(found) };
}

function faultOfText(text: string, longest: number): string | null {
  if (text === '') return 'It is needed.';
  if (hasInvisible(text)) return 'It holds characters that cannot be seen. Leave them out.';
  if (!isReadable(text)) return 'It needs a letter or a digit.';
  return [...text].length > longest ? `At most ${longest} characters.` : null;
}

function faultOfName(name: string, { onFile }: AppRules): string | null {
  if (name === onFile?.name || !readsLikeOurName(name)) return null;
  return 'It reads like our own name. Choose another one.';
}

function faultOfAddress(url: string, { allowsPlainHttp, onFile }: AppRules): string | null {
  const fault = faultOfRedirectUrl(url);
  if (fault !== null || allowsPlainHttp || !isPlainHttp(url) || onFile?.redirectUrls.includes(url)) return fault;
  return 'It must begin with https: http is for addresses of the machine itself.';
}

function faultOfFirst(first: string, more: readonly string[], rules: AppRules): string | null {
  if (first !== '') return faultOfAddress(first, rules);
  return more.length > 0 ? 'It is needed when there are more addresses.' : null;
}

function faultOfMore(more: readonly string[], rules: AppRules): string | null {
  if (more.length >= MOST_ADDRESSES) return `At most ${MOST_ADDRESSES} addresses in all.`;
  const bad = more.find((line) => faultOfAddress(line, rules) !== null);
  return bad === undefined ? null : `${bad.slice(0, 80)}: ${faultOfAddress(bad, rules)}`;
}

function isWebAddress(text: string): boolean {
  return /^https?:\/\/[^\s]+$/.test(text) && text.length <= 2_048 && URL.canParse(text);
}
