import { folder } from './setting-parsers.js';
import { setting } from './setting.js';

const READ_AGAIN =
  'It is read again before each new connection, so that a password can be changed while the service runs.';

const fileOf = (name: string, readBy: string, when = READ_AGAIN) =>
  setting({
    name: `${name}_FILE`,
    default: null,
    meaning: `A file that holds \`${name}\`, in its place. ${when}`,
    readBy,
    expects: 'the path of a file',
    example: `/run/secrets/${name.toLowerCase().replaceAll('_', '-')}`,
    parse: folder,
  });

/** Files that hold what rows with `hasFile` hold. */
export const SECRET_FILE_SETTINGS = {
  databaseUrlFile: fileOf('DATABASE_URL', 'all-in-one, stack, auth-service, users-service, payments-service'),
  migrationsDatabaseUrlFile: fileOf('MIGRATIONS_DATABASE_URL', 'migrate, projections'),
  eventStoreUrlFile: fileOf('EVENTSTORE_URL', 'all-in-one, payments-service'),
  introspectionSecretFile: fileOf('INTROSPECTION_SECRET', 'all-in-one, auth-service'),
  securityLogKeyFile: fileOf('SECURITY_LOG_KEY', 'all-in-one, auth-service', 'It is read at the start alone.'),
  smtpUrlFile: fileOf('SMTP_URL', 'all-in-one, stack, auth-service'),
  smsWebHookUrlFile: fileOf('SMS_WEBHOOK_URL', 'all-in-one, stack, auth-service'),
  smsWebHookTokenFile: fileOf('SMS_WEBHOOK_TOKEN', 'all-in-one, stack, auth-service'),
};
