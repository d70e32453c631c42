import { hasInvisibleCharacter, isReadable } from '../pages/visible-text.js';
import { isPlainHttp } from '../authorize/http-redirects.js';
import { findRedirectUrlFault, MAX_URL_LENGTH } from '../authorize/redirect-uri.js';
import { checkbox, form, optional, password, text, textArea, type FormOf } from '../http/form.js';
import type { App } from '../tables/app.entity.js';
import { resemblesProductName } from './reserved-names.js';

export const AppForm = form({
  name: text(500),
  description: textArea(2_000),
  redirect_url: text(4_000),
  /** One URL per line. */
  more_redirect_urls: textArea(12_000),
  site_url: text(4_000),
  builds_addresses: checkbox,
  codes_only: checkbox,
  requires_pkce: checkbox,
  legacy_answers: checkbox,
  current_password: optional(password),
});

/** The details of an app as submitted by its developer. */
type AppDetailsInput = Pick<
  FormOf<typeof AppForm>,
  'name' | 'description' | 'redirect_url' | 'more_redirect_urls' | 'site_url'
>;

/** The parsed details of an app. Without any redirect URL, users cannot authorize the app. */
export type AppDetails = Pick<App, 'name' | 'description' | 'siteUrl' | 'redirectUrls'>;

/** The rules for the details of one app. */
export interface AppDetailsRules {
  /** Whether new redirect URLs may use plain http. */
  readonly allowsPlainHttp: boolean;
  /** The registered app, or null for a new one. Unchanged values are always accepted. */
  readonly current: Pick<AppDetails, 'name' | 'redirectUrls'> | null;
}

/** A message for each invalid field. */
export type AppFaults = Partial<Record<keyof AppDetailsInput, string>>;

const MAX_NAME_LENGTH = 60;
const MAX_DESCRIPTION_LENGTH = 280;
const MAX_REDIRECT_URLS = 20;

/** Returns the parsed details and a message for each invalid field. */
export function parseAppDetails(
  typed: AppDetailsInput,
  rules: AppDetailsRules,
): { details: AppDetails; faults: AppFaults } {
  const lines = typed.more_redirect_urls.split('\n').map((line) => line.trim());
  const more = lines.filter((line) => line !== '');
  const first = typed.redirect_url.trim();
  const details = {
    name: typed.name.trim(),
    description: typed.description.trim(),
    siteUrl: typed.site_url.trim(),
    redirectUrls: [...new Set(first === '' ? more : [first, ...more])],
  };
  const faults: Record<keyof AppDetailsInput, string | null> = {
    name: findTextFault(details.name, MAX_NAME_LENGTH) ?? findNameFault(details.name, rules),
    description: findTextFault(details.description, MAX_DESCRIPTION_LENGTH),
    redirect_url: findFirstUrlFault(first, more, rules),
    more_redirect_urls: findMoreUrlsFault(more, rules),
    site_url: findSiteUrlFault(details.siteUrl),
  };
  const found = Object.entries(faults).filter((entry): entry is [string, string] => entry[1] !== null);
  return { details, faults: Object.fromEntries(found) };
}

function findTextFault(text: string, maxLength: number): string | null {
  if (text === '') return 'This field is required.';
  if (hasInvisibleCharacter(text)) return 'Remove invisible characters.';
  if (!isReadable(text)) return 'Use at least one letter or digit.';
  return [...text].length > maxLength ? `Use at most ${maxLength} characters.` : null;
}

function findNameFault(name: string, { current }: AppDetailsRules): string | null {
  if (name === current?.name || !resemblesProductName(name)) return null;
  return 'This name is too similar to Settle. Choose a different one.';
}

function findUrlFault(url: string, { allowsPlainHttp, current }: AppDetailsRules): string | null {
  const fault = findRedirectUrlFault(url);
  if (fault !== null || allowsPlainHttp || !isPlainHttp(url) || current?.redirectUrls.includes(url)) return fault;
  return 'Use https: http is allowed only for loopback addresses.';
}

function findFirstUrlFault(first: string, more: readonly string[], rules: AppDetailsRules): string | null {
  if (first !== '') return findUrlFault(first, rules);
  return more.length > 0 ? 'This field is required if there are more redirect URLs.' : null;
}

function findMoreUrlsFault(more: readonly string[], rules: AppDetailsRules): string | null {
  if (more.length >= MAX_REDIRECT_URLS) return `Use at most ${MAX_REDIRECT_URLS} redirect URLs in total.`;
  const invalid = more.find((line) => findUrlFault(line, rules) !== null);
  return invalid === undefined ? null : `${invalid.slice(0, 80)}: ${findUrlFault(invalid, rules)}`;
}

function findSiteUrlFault(text: string): string | null {
  if (text === '') return 'This field is required.';
  if (text.length > MAX_URL_LENGTH) return `Use at most ${MAX_URL_LENGTH} characters.`;
  if (!/^https?:\/\/[^\s]+$/i.test(text) || !URL.canParse(text)) return 'Enter a URL such as https://host/.';
  const { username, password } = new URL(text);
  return username === '' && password === '' ? null : 'Remove the username and the password (the part before the @).';
}
