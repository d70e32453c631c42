import { SettingsError, readSettings, type EnvironmentVariables } from '../src/index.js';

/** The settings that production needs at least. */
export const PRODUCTION = { NODE_ENV: 'production', PUBLIC_URL: 'https://pay.example.com' };

/** Returns what is wrong with an environment, a line each; none when it can be read. */
export function problemsOf(env: EnvironmentVariables): readonly string[] {
  try {
    readSettings(env);
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
  return [];
}
