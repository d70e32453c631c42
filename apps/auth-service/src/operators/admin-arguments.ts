import { parseArgs } from 'node:util';
import {
  OPERATOR_NAME_RULE,
  OPERATOR_REASON_RULE,
  isOperatorName,
  isOperatorReason,
  readAuditQuery,
  readCloseCommand,
  readUserCommand,
  type AuditQuery,
} from '@settle/contracts';
import { parseAppDetails, type AppDetails } from '../developers/app-details.js';
import { isClientId } from '../developers/client-ids.js';

/** An app that an operator creates. */
export interface NewApp {
  readonly clientId: string;
  readonly ownerUsername: string;
  readonly details: AppDetails;
}

/** A parsed operator command of auth-service that changes something, or that shows a user. */
export type ChangeCommand = { readonly operator: string | null; readonly reason: string | null } & (
  | { readonly kind: 'app'; readonly app: NewApp }
  | { readonly kind: 'suspend-app' | 'resume-app'; readonly clientId: string }
  | { readonly kind: 'end-sessions'; readonly username: string }
  | { readonly kind: 'close'; readonly userId: string }
  | { readonly kind: 'user'; readonly username: string; readonly isFrozenForReading: boolean | null }
);

export type AdminCommand = ChangeCommand | ({ readonly kind: 'audit' } & AuditQuery);

const APP_USAGE = `npm run admin -- app <client_id> --owner <username> --name <name> --redirect-url <url>
       [--description <text>] [--site-url <url>] [--reason <text>] [--operator <name>]
       the client_id is a decimal number below 2147483648 that no other app uses`;
const SUSPEND_USAGE = `npm run admin -- suspend-app <client_id> [--reason <text>] [--operator <name>] revokes all tokens of an app and issues no new ones
       npm run admin -- resume-app <client_id> [--reason <text>] [--operator <name>] lets the app request access again`;
const END_USAGE =
  'npm run admin -- end-sessions <username> [--reason <text>] [--operator <name>] ends all sessions and revokes all tokens of a user';

/** Client ids were not always numbers. */
const LEGACY_CLIENT_ID = /^[\w-]{1,64}$/;

/**
 * Parses the command line. Throws an error with the problem and the usage.
 * @param allowsPlainHttp whether the redirect URL of a new app may use plain http beyond loopback
 */
export function parseAdminArguments(args: readonly string[], allowsPlainHttp: boolean): AdminCommand {
  switch (args[0]) {
    case 'user': {
      const { username, operator, reason, flags } = readUserCommand(args);
      // The other flags belong to users-service.
      return { kind: 'user', username, operator, reason, isFrozenForReading: flags['frozen-for-reading'] ?? null };
    }
    case 'suspend-app':
    case 'resume-app': {
      const { subject: clientId, operator, reason } = parseCommand(args, 'client_id', SUSPEND_USAGE);
      if (!LEGACY_CLIENT_ID.test(clientId)) throw createUsageError(`"${clientId}" is not a client_id.`, SUSPEND_USAGE);
      return { kind: args[0], clientId, operator, reason };
    }
    case 'end-sessions': {
      const { subject: username, operator, reason } = parseCommand(args, 'username', END_USAGE);
      return { kind: 'end-sessions', username, operator, reason };
    }
    case 'close': {
      const { userId, operator, reason } = readCloseCommand(args);
      return { kind: 'close', userId, operator, reason };
    }
    case 'audit':
      return { kind: 'audit', ...readAuditQuery(args) };
    default:
      return parseAppArguments(args, allowsPlainHttp);
  }
}

function parseAppArguments(args: readonly string[], allowsPlainHttp: boolean): AdminCommand {
  const { subject: clientId, operator, reason, values } = parseCommand(args, 'client_id', APP_USAGE, APP_OPTIONS);
  if (!isClientId(clientId)) throw createUsageError(`"${clientId}" is not a client_id.`, APP_USAGE);
  const { owner = '', name = '', 'redirect-url': redirectUrl = '' } = values;
  if (owner === '') throw createUsageError('The owner is missing. Name a user with --owner.', APP_USAGE);
  const siteUrl = values['site-url'] ?? (URL.canParse(redirectUrl) ? new URL(redirectUrl).origin + '/' : '');
  const { details, faults } = parseAppDetails(
    {
      ...{ name, description: values.description ?? name, site_url: siteUrl },
      ...{ redirect_url: redirectUrl, more_redirect_urls: '' },
    },
    { allowsPlainHttp, current: null },
  );
  if (redirectUrl === '') throw createUsageError('The redirect URL is missing. Set it with --redirect-url.', APP_USAGE);
  const [fault] = Object.entries(faults);
  if (fault !== undefined) throw createUsageError(`--${fault[0].replaceAll('_', '-')}: ${fault[1]}`, APP_USAGE);
  return { kind: 'app', operator, reason, app: { clientId, ownerUsername: owner, details } };
}

const APP_OPTIONS = ['owner', 'name', 'description', 'redirect-url', 'site-url'] as const;
type Values = Partial<Record<(typeof APP_OPTIONS)[number] | 'operator' | 'reason', string>>;

/** Parses the argument after the verb, which is required, and the options. */
function parseCommand(args: readonly string[], subjectName: string, usage: string, options: readonly string[] = []) {
  const config = Object.fromEntries(
    [...options, 'operator', 'reason'].map((name) => [name, { type: 'string' } as const]),
  );
  try {
    const { values, positionals } = parseArgs({ args: [...args], options: config, allowPositionals: true });
    const [, subject, ...more] = positionals;
    const { operator = null, reason = null } = values as Values;
    if (subject === undefined) throw new Error(`The ${subjectName} is missing.`);
    if (more.length > 0) throw new Error(`"${more.join(' ')}" is not a valid argument.`);
    if (operator !== null && !isOperatorName(operator)) throw new Error(OPERATOR_NAME_RULE);
    if (reason !== null && !isOperatorReason(reason)) throw new Error(OPERATOR_REASON_RULE);
    return { subject, operator, reason, values: values as Values };
  } catch (error) {
    throw createUsageError((error as Error).message, usage);
  }
}

function createUsageError(problem: string, usage: string): Error {
  return new Error(`${problem} Usage:\n       ${usage}`);
}
