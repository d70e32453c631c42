import { DATABASE_MODE_TABLE, OPERATOR_AUDIT_TABLES, type ServiceSchema } from '@settle/postgres';
import { AppNamesInConsents1795520300000 } from './app-names-in-consents.migration.js';
import { ChooseLegacyAnswers1795550100000 } from './choose-legacy-answers.migration.js';
import { CountSentCodes1795510300000 } from './count-sent-codes.migration.js';
import { CountWrongCodes1795350000000 } from './count-wrong-codes.migration.js';
import { CreateAuthTables1767225600000 } from './create-tables.migration.js';
import { KeepAddressSpellings1795510000000 } from './keep-address-spellings.migration.js';
import { KeepNotices1795510400000 } from './keep-notices.migration.js';
import { KeepSourceRequests1795740000000 } from './keep-source-requests.migration.js';
import { KeepWhatWasAsked1795550000000 } from './keep-what-was-asked.migration.js';
import { KeepSecurityLogKey1795570000000 } from './keep-security-log-key.migration.js';
import { LetPeopleIn1795330000000 } from './let-people-in.migration.js';
import { LimitApps1795560100000 } from './limit-apps.migration.js';
import { MarkDatabaseMode1795530000000 } from './mark-database-mode.migration.js';
import { OverlapSecrets1795580000000 } from './overlap-secrets.migration.js';
import { RecordOperatorActions1795760000000 } from './record-operator-actions.migration.js';
import { RefreshFamilies1795520200000 } from './refresh-families.migration.js';
import { ServerSideFlow1795340000000 } from './server-side-flow.migration.js';
import { SessionSignInTimes1795520000000 } from './session-sign-in-times.migration.js';
import { ShareBetweenInstances1795320000000 } from './share-between-instances.migration.js';
import { SuspendAppsAndAccounts1795570100000 } from './suspend-apps-and-accounts.migration.js';
import { TokenEnvironments1795520100000 } from './token-environments.migration.js';

/** The database schema of auth-service. */
export const AUTH_SCHEMA: ServiceSchema = {
  service: 'auth-service',
  migrations: [
    CreateAuthTables1767225600000,
    ShareBetweenInstances1795320000000,
    LetPeopleIn1795330000000,
    ServerSideFlow1795340000000,
    CountWrongCodes1795350000000,
    KeepAddressSpellings1795510000000,
    CountSentCodes1795510300000,
    KeepNotices1795510400000,
    SessionSignInTimes1795520000000,
    TokenEnvironments1795520100000,
    RefreshFamilies1795520200000,
    AppNamesInConsents1795520300000,
    MarkDatabaseMode1795530000000,
    KeepWhatWasAsked1795550000000,
    ChooseLegacyAnswers1795550100000,
    LimitApps1795560100000,
    KeepSecurityLogKey1795570000000,
    SuspendAppsAndAccounts1795570100000,
    OverlapSecrets1795580000000,
    KeepSourceRequests1795740000000,
    RecordOperatorActions1795760000000,
  ],
  appendOnlyTables: [DATABASE_MODE_TABLE, 'security_log_keys', ...OPERATOR_AUDIT_TABLES],
};
