import { SettingsError, readSettings, type EnvironmentVariables } from '../src/index.js';

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
