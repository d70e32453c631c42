import { fileURLToPath } from 'node:url';

const built = (path) => fileURLToPath(new URL(`../apps/${path}`, import.meta.url));

/** The services' own commands that a backup and a restore run. */
export const SERVICE_PROGRAMS = {
  migrations: {
    users: built('users-service/dist/migrate.js'),
    auth: built('auth-service/dist/migrate.js'),
    payments: built('payments-service/dist/migrate.js'),
  },
  logState: built('payments-service/dist/operators/log-state-command.js'),
  raiseUsersEpoch: built('users-service/dist/raise-epoch.js'),
  endSessions: built('auth-service/dist/end-sessions.js'),
  ledger: built('payments-service/dist/operators/ledger-command.js'),
};
