import { parseArgs } from 'node:util';
import { isOperatorName, readUserCommand, type UserCommand } from '@settle/contracts';
import { parseAppDetails, type AppDetails } from '../developers/app-details.js';
import { isClientId } from '../developers/client-ids.js';

/** An app that an operator creates. */
export interface NewApp {
  readonly clientId: string;
  readonly ownerUsername: string;
  readonly details: AppDetails;
}

/** A parsed operator command of auth-service. */
export type AdminCommand = { readonly operator: string | null } & (
  | { readonly kind: 'app'; readonly app: NewApp }
  | { readonly kind: 'suspend-app' | 'resume-app'; readonly clientId: string }
  | { readonly kind: 'end-sessions'; readonly username: string }
  | { readonly kind: 'user'; readonly username: string; readonly isFrozenForReading: boolean | null }
);

const APP_USAGE = `npm run admin -- app <client_id> --owner <username> --name <name> --redirect-url <url>
       [--description <text>] [--site-url <url>] [--operator=<name>]
       the client_id is a decimal number below 2147483648 that no other app uses`;
const SUSPEND_USAGE = `npm run admin -- suspend-app <client_id> [--operator=<name>] revokes all tokens of an app and issues no new ones
       npm run admin -- resume-app <client_id> [--operator=<name>] lets the app request access again`;
const END_USAGE =
  'npm run admin -- end-sessions <username> [--operator=<name>] ends all sessions and revokes all tokens of a user';

/** Client ids were not always numbers. */
const LEGACY_CLIENT_ID = /^[\w-]{1,64}$/;

/**
 * Parses the command line. Throws an error with the problem and the usage.
 * @param allowsPlainHttp whether the redirect URL of a new app may use plain http beyond loopback
 */
export function parseAdminArguments(args: readonly string[], allowsPlainHttp: boolean): AdminCommand {
  switch (args[0]) {
    case 'user':
      return toAdminCommand(readUserCommand(args));
    case 'suspend-app':
    case 'resume-app': {
      const { subject: clientId, operator } = parseSubject(args, 'The client_id is missing.', SUSPEND_USAGE);
      if (!LEGACY_CLIENT_ID.test(clientId)) throw createUsageError(`"${clientId}" is not a client_id.`, SUSPEND_USAGE);
      return { kind: args[0], clientId, operator };
    }
    case 'end-sessions': {
      const { subject: username, operator } = parseSubject(args, 'The username is missing.', END_USAGE);
      return { kind: 'end-sessions', username, operator };
    }
    default:
      return parseAppArguments(args, allowsPlainHttp);
  }
}

/** Reads the flags of auth-service. The others belong to users-service. */
function toAdminCommand({ username, operator, flags }: UserCommand): AdminCommand {
  return { kind: 'user', username, operator, isFrozenForReading: flags['frozen-for-reading'] ?? null };
}

function parseSubject(args: readonly string[], missing: string, usage: string) {
  const { values, positionals } = parseFlags(args, {}, usage);
  const [, subject, ...more] = positionals;
  if (subject === undefined) throw createUsageError(missing, usage);
  if (more.length > 0) throw createUsageError(`"${more.join(' ')}" is not a valid argument.`, usage);
  return { subject, operator: parseOperator(values.operator, usage) };
}

function parseAppArguments(args: readonly string[], allowsPlainHttp: boolean): AdminCommand {
  const options = { owner: TEXT, name: TEXT, description: TEXT, 'redirect-url': TEXT, 'site-url': TEXT };
  const { values, positionals } = parseFlags(args, options, APP_USAGE);
  const [, clientId = '', ...more] = positionals;
  if (more.length > 0) throw createUsageError(`"${more.join(' ')}" is not a valid argument.`, APP_USAGE);
  if (!isClientId(clientId)) {
    throw createUsageError(
      clientId === '' ? 'The client_id is missing.' : `"${clientId}" is not a client_id.`,
      APP_USAGE,
    );
  }
  const { owner = '', name = '', 'redirect-url': redirectUrl = '' } = values;
  if (owner === '') throw createUsageError('The owner is missing. Name a user with --owner.', APP_USAGE);
  const siteUrl = values['site-url'] ?? (URL.canParse(redirectUrl) ? new URL(redirectUrl).origin + '/' : '');
  const description = values.description ?? name;
  const { details, faults } = parseAppDetails(
    { name, description, redirect_url: redirectUrl, more_redirect_urls: '', site_url: siteUrl },
    { allowsPlainHttp, current: null },
  );
  if (redirectUrl === '') {
    throw createUsageError('The redirect URL is missing. Set it with --redirect-url.', APP_USAGE);
  }
  const [fault] = Object.entries(faults);
  if (fault !== undefined) throw createUsageError(`--${fault[0].replaceAll('_', '-')}: ${fault[1]}`, APP_USAGE);
  const operator = parseOperator(values.operator, APP_USAGE);
  return { kind: 'app', operator, app: { clientId, ownerUsername: owner, details } };
}

const TEXT = { type: 'string' } as const;

type Values = Partial<Record<'owner' | 'name' | 'description' | 'redirect-url' | 'site-url' | 'operator', string>>;

function parseFlags(args: readonly string[], options: Readonly<Record<string, typeof TEXT>>, usage: string) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { ...options, operator: TEXT },
      allowPositionals: true,
    });
    return { values: values as Values, positionals };
  } catch (error) {
    throw createUsageError((error as Error).message, usage);
  }
}

function parseOperator(name: string | undefined, usage: string): string | null {
  if (name === undefined || isOperatorName(name)) return name ?? null;
  throw createUsageError(
    'The operator name must have at most 64 letters, digits, dots, underscores and hyphens.',
    usage,
  );
}

function createUsageError(problem: string, usage: string): Error {
  return new Error(`${problem} Usage:\n       ${usage}`);
}
