import { parseArgs } from 'node:util';
import { isOperatorName, readUserCommand, type UserCommand } from '@settle/contracts';
import { readAppDetails, type AppDetails } from './developers/app-details.js';
import { isClientId } from './developers/client-ids.js';

/** An app that an operator makes. */
export interface NewApp {
  readonly clientId: string;
  readonly ownerUsername: string;
  readonly details: AppDetails;
}

/** What the command line asks of auth-service. */
export type AdminCommand = { readonly operator: string | null } & (
  | { readonly kind: 'app'; readonly app: NewApp }
  | { readonly kind: 'suspend-app' | 'resume-app'; readonly clientId: string }
  | { readonly kind: 'end-sessions'; readonly username: string }
  | { readonly kind: 'user'; readonly username: string; readonly isFrozenForReading: boolean | null }
);

const APP_USAGE = `npm run admin -- app <client_id> --owner <username> --name <name> --redirect-url <url>
       [--description <text>] [--site-url <url>] [--operator=<name>]
       the client_id is a decimal number below 2147483648 that no other app has`;
const SUSPEND_USAGE = `npm run admin -- suspend-app <client_id> [--operator=<name>] ends all tokens of an app, and it gets no new ones
       npm run admin -- resume-app <client_id> [--operator=<name>] lets it ask its users again`;
const END_USAGE = 'npm run admin -- end-sessions <username> [--operator=<name>] ends all sessions and tokens of a user';

/** As an app may have been made before client ids were numbers. */
const ANY_CLIENT_ID = /^[\w-]{1,64}$/;

/**
 * Reads the command line. Errors: what is wrong, and how it is written.
 * @param allowsPlainHttp whether the redirect address of a new app may be of plain http beyond loopback
 */
export function readAdminArguments(args: readonly string[], allowsPlainHttp: boolean): AdminCommand {
  switch (args[0]) {
    case 'user':
      return fromUserCommand(readUserCommand(args));
    case 'suspend-app':
    case 'resume-app': {
      const { subject: clientId, operator } = readSubject(args, 'Which client_id?', SUSPEND_USAGE);
      if (!ANY_CLIENT_ID.test(clientId)) throw misread(`"${clientId}" is no client_id.`, SUSPEND_USAGE);
      return { kind: args[0], clientId, operator };
    }
    case 'end-sessions': {
      const { subject: username, operator } = readSubject(args, 'Which user?', END_USAGE);
      return { kind: 'end-sessions', username, operator };
    }
    default:
      return readAppArguments(args, allowsPlainHttp);
  }
}

/** The other flags are for users-service. */
function fromUserCommand({ username, operator, flags }: UserCommand): AdminCommand {
  return { kind: 'user', username, operator, isFrozenForReading: flags['frozen-for-reading'] ?? null };
}

function readSubject(args: readonly string[], question: string, usage: string) {
  const { values, positionals } = parsed(args, {}, usage);
  const [, subject, ...more] = positionals;
  if (subject === undefined) throw misread(question, usage);
  if (more.length > 0) throw misread(`"${more.join(' ')}" is not understood.`, usage);
  return { subject, operator: operatorOf(values.operator, usage) };
}

function readAppArguments(args: readonly string[], allowsPlainHttp: boolean): AdminCommand {
  const options = { owner: TEXT, name: TEXT, description: TEXT, 'redirect-url': TEXT, 'site-url': TEXT };
  const { values, positionals } = parsed(args, options, APP_USAGE);
  const [, clientId = '', ...more] = positionals;
  if (more.length > 0) throw misread(`"${more.join(' ')}" is not understood.`, APP_USAGE);
  if (!isClientId(clientId)) {
    throw misread(clientId === '' ? 'Which client_id?' : `"${clientId}" is no client_id.`, APP_USAGE);
  }
  const { owner = '', name = '', 'redirect-url': redirectUrl = '' } = values;
  if (owner === '') throw misread('Who owns the app? Name a user with --owner.', APP_USAGE);
  const siteUrl = values['site-url'] ?? (URL.canParse(redirectUrl) ? new URL(redirectUrl).origin + '/' : '');
  const description = values.description ?? name;
  const { details, faults } = readAppDetails(
    { name, description, redirect_url: redirectUrl, more_redirect_urls: '', site_url: siteUrl },
    { allowsPlainHttp, onFile: null },
  );
  if (redirectUrl === '') {
    throw misread('Where do users return to? Name the address with --redirect-url.', APP_USAGE);
  }
  const [fault] = Object.entries(faults);
  if (fault !== undefined) throw misread(`--${fault[0].replaceAll('_', '-')}: ${fault[1]}`, APP_USAGE);
  const operator = operatorOf(values.operator, APP_USAGE);
  return { kind: 'app', operator, app: { clientId, ownerUsername: owner, details } };
}

const TEXT = { type: 'string' } as const;

type Values = Partial<Record<'owner' | 'name' | 'description' | 'redirect-url' | 'site-url' | 'operator', string>>;

function parsed(args: readonly string[], options: Readonly<Record<string, typeof TEXT>>, usage: string) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { ...options, operator: TEXT },
      allowPositionals: true,
    });
    return { values: values as Values, positionals };
  } catch (error) {
    throw misread((error as Error).message, usage);
  }
}

function operatorOf(name: string | undefined, usage: string): string | null {
  if (name === undefined || isOperatorName(name)) return name ?? null;
  throw misread('An operator is one name of at most 64 letters, digits, dots, underscores and hyphens.', usage);
}

function misread(problem: string, usage: string): Error {
  return new Error(`${problem} Write\n       ${usage}`);
}
