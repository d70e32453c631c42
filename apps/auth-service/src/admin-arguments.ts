import { parseArgs } from 'node:util';
import { readAppDetails, type AppDetails } from './developers/app-details.js';
import { isClientId } from './developers/client-ids.js';

/** An app that an operator makes. */
export interface NewApp {
  readonly clientId: string;
  readonly ownerUsername: string;
  readonly details: AppDetails;
}

const USAGE = `npm run admin -- app <client_id> --owner <username> --name <name> --redirect-url <url>
       [--description <text>] [--site-url <url>]
       the client_id is a decimal number below 2147483648 that no other app has`;

/**
 * Reads the command line. Errors: what is wrong, and how it is written.
 * @param allowsPlainHttp whether the redirect address may be of plain http beyond loopback
 */
export function readAppArguments(args: readonly string[], allowsPlainHttp: boolean): NewApp {
  const { values, positionals } = parsed(args);
  const [, clientId = '', ...more] = positionals;
  if (more.length > 0) throw misread(`"${more.join(' ')}" is not understood.`);
  if (!isClientId(clientId)) throw misread(clientId === '' ? 'Which client_id?' : `"${clientId}" is no client_id.`);
  const { owner = '', name = '', 'redirect-url': redirectUrl = '' } = values;
  if (owner === '') throw misread('Who owns the app? Name a user with --owner.');
  const siteUrl = values['site-url'] ?? (URL.canParse(redirectUrl) ? new URL(redirectUrl).origin + '/' : '');
  const description = values.description ?? name;
  const { details, faults } = readAppDetails(
    { name, description, redirect_url: redirectUrl, more_redirect_urls: '', site_url: siteUrl },
    { allowsPlainHttp, onFile: null },
  );
  if (redirectUrl === '') throw misread('Where do users return to? Name the address with --redirect-url.');
  const [fault] = Object.entries(faults);
  if (fault !== undefined) throw misread(`--${fault[0].replaceAll('_', '-')}: ${fault[1]}`);
  return { clientId, ownerUsername: owner, details };
}

function parsed(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const options = { owner: text, name: text, description: text, 'redirect-url': text, 'site-url': text };
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw misread((error as Error).message);
  }
}

function misread(problem: string): Error {
  return new Error(`${problem} Write\n       ${USAGE}`);
}
