import { SettingsError } from './settings-reader.js';

/**
 * Why a service does not start in production on a database that held the demo: everybody knows its passwords, its money
 * came from nowhere, and no service alone could take its people away.
 */
export function demoInProduction(): SettingsError {
  return new SettingsError([
    'NODE_ENV: "production" on a database that holds the people of the demo; take a new DATA_DIR or new databases, or go on trying this one out without NODE_ENV=production',
  ]);
}
