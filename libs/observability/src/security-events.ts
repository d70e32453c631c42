/** A change of access rights, or a refusal. */
export interface SecurityEventRow {
  readonly level: 'info' | 'warn';
  /** The line's message. */
  readonly message: string;
  readonly writtenBy: 'auth-service' | 'the admin command';
  /** The fields of the line in addition to those of the request; unknown ones are left out. */
  readonly facts: string;
}

type MakeRow = (message: string, facts: string) => SecurityEventRow;

const info: MakeRow = (message, facts) => ({ level: 'info', message, facts, writtenBy: 'auth-service' });
const warn: MakeRow = (message, facts) => ({ ...info(message, facts), level: 'warn' });
const byAdmin: MakeRow = (message, facts) => ({ ...warn(message, facts), writtenBy: 'the admin command' });

/**
 * Every kind of line of the security log (OWASP ASVS 16.3). Alarms and searches use the names, so they never change.
 * `docs/security-log.md` is generated from this table.
 */
export const SECURITY_EVENTS = {
  sign_in_succeeded: info('A user has signed in, or stays signed in after changing the password', '`userId`'),
  sign_in_failed: warn('A password was not the one of the account', '`userId`, if there is such an account'),
  sign_in_throttled: warn('A sign-in must wait after many tries', '`userId`, if there is such an account'),
  session_ended: info('A user has signed out', '`userId`'),
  sessions_ended: info('A user has signed out everywhere', '`userId`'),
  account_created: info('An account was made', '`userId`'),
  password_changed: info('A password was changed, which ended all sessions', '`userId`'),
  password_reset: info('A password was reset by a code, which ended all sessions and tokens', '`userId`'),
  code_refused: warn('A code was wrong, too old or tried too often', '`kind`; `userId` for `reset`'),
  codes_lengthened: warn('Codes for an address were guessed at: new ones are longer for a day', '`kind`'),
  codes_throttled: warn('Codes were asked for too often', '`kind`'),
  address_added: info('An address was verified', '`userId`, `kind`'),
  address_removed: info('An address was removed', '`userId`, `kind`'),
  address_lost: info('Another user has verified an address of the user', '`userId`, `kind`'),
  form_refused: warn('A form did not come from a page of ours', '-'),
  app_registered: info('An app was registered', '`userId`, `appId`; `operator` where the admin command made it'),
  app_changed: info('An app was changed', '`userId`, `appId`'),
  app_secret_rotated: info('An app has a new secret', '`userId`, `appId`'),
  app_secret_ended: info('A secret of an app was ended', '`userId`, `appId`'),
  app_deleted: info('An app was deleted, which ended its tokens', '`userId`, `appId`'),
  app_refused: warn('An app is unknown or suspended, or its secret was wrong', '`appId`, if there is such an app'),
  introspection_refused: warn('A caller without the secret requested an introspection', '-'),
  consent_granted: info('A user has authorized an app', '`userId`, `appId`, `scopes`'),
  consent_denied: info('A user has refused to authorize an app', '`userId`, `appId`'),
  app_amount_changed: info('A user has changed what an app may move a day', '`userId`, `appId`'),
  funding_source_added: info('A user has added a card or bank account', '`userId`'),
  funding_source_removed: info('A user has removed a card or bank account', '`userId`'),
  payout_source_changed: info('A user has chosen another card or bank account for withdrawals', '`userId`'),
  deposit_requested: info('A user has requested a deposit from a card or bank account', '`userId`'),
  withdrawal_requested: info('A user has requested a withdrawal', '`userId`'),
  tokens_issued: info('An app was given tokens', '`userId`, `appId`, `authorizationId`, `kind`'),
  tokens_refused: warn('An app was refused tokens', '`userId`, `appId`, `authorizationId`, `kind`'),
  tokens_revoked: info('What apps were allowed was ended', '`userId`, `appId`, `authorizationId`, `count`'),
  authorization_code_reused: warn('A code came twice: its tokens are dead', '`userId`, `appId`, `authorizationId`'),
  refresh_token_reused: warn(
    'A refresh token came twice: all that came of it is dead',
    '`userId`, `appId`, `authorizationId`',
  ),
  operator_flags_set: byAdmin('An operator has set flags of a person', '`userId`, `operator`, `flags`'),
  operator_app_suspended: byAdmin(
    'An operator has suspended an app, which ended its tokens',
    '`appId`, `operator`, `count`',
  ),
  operator_app_resumed: byAdmin('An operator has ended the suspension of an app', '`appId`, `operator`'),
  operator_access_ended: byAdmin(
    'An operator has ended the sessions and tokens of a user',
    '`userId`, `operator`, `count`',
  ),
  operator_account_closed: byAdmin(
    'An operator has closed an account: its credentials and tokens are erased',
    '`userId`, `operator`, `count`',
  ),
} satisfies Record<string, SecurityEventRow>;

export type SecurityEvent = keyof typeof SECURITY_EVENTS;

const cell = (text: string): string => text.replaceAll('|', '\\|');

/** The text of `docs/security-log.md`: the table for operators. */
export function securityLogMarkdown(): string {
  const rows = Object.entries<SecurityEventRow>(SECURITY_EVENTS).map(
    ([name, { level, message, writtenBy, facts }]) =>
      `| \`${name}\` | ${level} | ${cell(message)} | ${cell(facts)} | ${writtenBy} |`,
  );
  return [
    '# Security log',
    '',
    'Made from `libs/observability/src/security-events.ts` by `node tools/generate.mjs`: change the table, not this page.',
    '',
    'Each of these lines has `securityEvent`, the name below, which never changes; `time` in UTC; the facts of its kind,',
    'where they are known; and, where a request caused it, `requestId`, `addressHash` and `browserHash`. There is nothing',
    'else in them: no name, address, password, token, code or secret.',
    '',
    '`addressHash` is a keyed hash of the address of the client (after `TRUSTED_PROXIES`; an IPv6 address counts by its',
    'network of 64 bits), `browserHash` one of its `User-Agent`, where it sent one: HMAC-SHA-256, the first 128 bits as 22',
    'characters of base64url. The same visitor has the same hashes in every instance and after every restart. Without the',
    'key, trying all addresses does not reveal an address. The key is [`SECURITY_LOG_KEY`](settings.md); where that is not set,',
    'auth-service makes one at its first start and keeps it in its database. auth-service writes every event that a request',
    'causes; the gateway and the other services write none. The admin command serves no request and writes no hash.',
    '',
    '`kind` is what a code is for (`sign-up`, `reset`, `email`, `phone`), what tokens were',
    'given for (`code`, `refresh_token`, `trial`), or the kind of an address. `operator` is the name that the admin command was',
    'given (`--operator=jo`), else the user of the operating system who ran it. The lines are written with every `LOG_LEVEL`.',
    'auth-service counts them all in `settle_security_events_total` ([metrics](metrics.md)); the admin command writes its line',
    'to standard error.',
    '',
    '| `securityEvent` | Level | What happened | Facts | Written by |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}
