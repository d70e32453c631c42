import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMessageSecret } from '@settle/provider-api';
import { newestSecret, readSettings } from './index.js';
import { problemsOf } from '../test/settings-problems.fixture.js';

const [ONE_SECRET, OTHER_SECRET] = [createMessageSecret(), createMessageSecret()];
let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'settle-secrets-'));
  file = join(folder, 'secret');
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('a secret in a file', () => {
  it.each([
    ['DATABASE_URL', 'postgres://u:p@db/x', ({ databaseUrl }: ReturnType<typeof readSettings>) => databaseUrl],
    ['MIGRATIONS_DATABASE_URL', 'postgres://m:p@db/x', (settings) => settings.migrationsDatabaseUrl],
    ['INTROSPECTION_SECRET', 's'.repeat(32), ({ introspectionSecret }) => introspectionSecret],
    ['SECURITY_LOG_KEY', 'k'.repeat(32), ({ securityLogKey }) => securityLogKey],
    ['FUNDING_PROVIDER_SECRET', `${ONE_SECRET}\n${OTHER_SECRET}`, ({ funding }) => funding.provider?.secret],
    ['SMTP_URL', 'smtps://u:p@mail.example', ({ messages }) => messages.smtp?.url],
    ['SMS_WEBHOOK_URL', 'https://sms.example/key', ({ messages }) => messages.smsWebHook?.url],
    ['SMS_WEBHOOK_TOKEN', 'token', ({ messages }) => messages.smsWebHook?.token],
    ['EVENTSTORE_URL', 'esdb://u:p@node:2113', ({ eventStore }) => 'url' in eventStore && eventStore.url],
  ] as readonly (readonly [string, string, (settings: ReturnType<typeof readSettings>) => unknown])[])(
    'given %s_FILE, when read, then what the file holds counts, without the line feed at its end',
    (name, value, valueOf) => {
      writeFileSync(file, `${value}\n`);
      const needed = {
        MAIL_FROM: 'settle@example.com',
        FUNDING_PROVIDER_URL: name === 'FUNDING_PROVIDER_SECRET' ? 'https://provider.example' : '',
        EVENT_STORE: name === 'EVENTSTORE_URL' ? 'eventstoredb' : '',
        SMS_WEBHOOK_URL: name === 'SMS_WEBHOOK_TOKEN' ? 'https://sms.example/x' : '',
      };
      expect(valueOf(readSettings({ ...needed, [`${name}_FILE`]: file }))).toBe(value);
    },
  );

  it('given a file that cannot be used, when read, then one line names the setting and repeats nothing of it', () => {
    expect(problemsOf({ DATABASE_URL_FILE: file })).toEqual([expect.stringMatching(/^DATABASE_URL_FILE: .*ENOENT/)]);
    writeFileSync(file, 'mysql://c4nary');
    expect(problemsOf({ DATABASE_URL_FILE: file })).toEqual([
      expect.stringMatching(/^DATABASE_URL_FILE: what the file holds is not (?!.*c4nary)/),
    ]);
    expect(problemsOf({ DATABASE_URL_FILE: file, DATABASE_URL: 'postgres://db/x' })).toEqual([
      expect.stringMatching(/^DATABASE_URL_FILE: DATABASE_URL is set as well/),
    ]);
  });

  it('given a file whose content changes, when the newest is asked for, then it is that, and the first while none can be used', () => {
    const [first, second] = ['postgres://u:one@db/x', 'postgres://u:two@db/x'];
    writeFileSync(file, first);
    readSettings({ DATABASE_URL_FILE: file });
    writeFileSync(file, second);
    expect(newestSecret(first)).toBe(second);
    writeFileSync(file, '');
    expect(newestSecret(first)).toBe(first);
    expect(newestSecret('postgres://from/environment')).toBe('postgres://from/environment');
  });
});

describe('secrets on their way in production', () => {
  const PRODUCTION = { NODE_ENV: 'production', PUBLIC_URL: 'https://pay.example.com', MAIL_FROM: 'settle@example.com' };

  it.each([
    ['SMTP_URL', 'smtp://u:p@mail.example.com'],
    ['SMTP_URL', 'smtp://u:p@mail.example.com?requireTLS=false'],
    ['SMS_WEBHOOK_URL', 'http://sms.example.com/send'],
  ])('given %s=%s, when read, then it refuses, naming that alone', (name, value) => {
    expect(problemsOf({ ...PRODUCTION, [name]: value })).toEqual([
      expect.stringMatching(new RegExp(`^${name}: .*in the clear`)),
    ]);
    expect(problemsOf({ MAIL_FROM: 'settle@example.com', [name]: value })).toEqual([]);
  });

  it.each([
    ['SMTP_URL', 'smtps://u:p@mail.example.com'],
    ['SMTP_URL', 'smtp://u:p@mail.example.com:587?requireTLS=true'],
    ['SMTP_URL', 'smtp://localhost:25'],
    ['SMS_WEBHOOK_URL', 'https://sms.example.com/send'],
    ['SMS_WEBHOOK_URL', 'http://127.0.0.1:8080/send'],
  ])('given %s=%s, when read, then it is accepted', (name, value) => {
    expect(problemsOf({ ...PRODUCTION, [name]: value })).toEqual([]);
  });
});
