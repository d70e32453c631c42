import { readFileSync } from 'node:fs';
import { SettingsError, type EnvironmentVariables } from '@settle/config';
import { isMessageSecret } from '@settle/provider-api';

/** The settings of the reference provider alone. */
export interface ProviderSettings {
  /** Loopback, unless the operator opens the provider to other machines. */
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
  /** Where users reach the pages, without a slash at the end; null: where the provider listens. */
  readonly pagesUrl: string | null;
  /** Sign requests and callbacks: one, or two while they are exchanged. Never log them. */
  readonly secrets: readonly string[];
  /** Where callbacks are sent; null: none are. */
  readonly callbackUrl: string | null;
  /** The time of everything that test cards do later, and of slow responses. */
  readonly laterMs: number;
}

const [DEFAULT_HOST, DEFAULT_PORT, DEFAULT_LATER_MS, MAX_LATER_MS] = ['127.0.0.1', '3100', '3000', 86_400_000];
const MAX_SECRETS = 2;

/**
 * Returns the settings in `env`. Errors: `SettingsError` with every problem, which includes `NODE_ENV=production`: the
 * provider moves no real money.
 */
export function readProviderSettings(env: EnvironmentVariables): ProviderSettings {
  const problems: string[] = [];
  const read = (name: string, fallback = ''): string => env[name]?.trim() || fallback;
  const readNumber = (name: string, fallback: string, max: number): number => {
    const text = read(name, fallback);
    const value = /^[0-9]{1,9}$/.test(text) ? Number(text) : NaN;
    if (!(value <= max)) problems.push(`${name}: write a whole number from 0 to ${max}, for example ${fallback}`);
    return value;
  };
  const readAddress = (name: string): string | null => {
    const text = read(name);
    if (text === '') return null;
    if (/^https?:$/.test(URL.canParse(text) ? new URL(text).protocol : '')) return text.replace(/\/+$/, '');
    problems.push(`${name}: write an http or https address, for example http://localhost:3000/provider/callbacks`);
    return null;
  };
  if (read('NODE_ENV') === 'production') {
    problems.push('NODE_ENV: the reference provider moves no real money and does not run in production');
  }
  const settings: ProviderSettings = {
    host: read('PROVIDER_HOST', DEFAULT_HOST),
    port: readNumber('PROVIDER_PORT', DEFAULT_PORT, 65_535),
    pagesUrl: readAddress('PROVIDER_PAGES_URL'),
    secrets: readSecrets(read('PROVIDER_SECRET_FILE'), problems),
    callbackUrl: readAddress('PROVIDER_CALLBACK_URL'),
    laterMs: readNumber('PROVIDER_LATER_MS', DEFAULT_LATER_MS, MAX_LATER_MS),
  };
  if (problems.length > 0) throw new SettingsError(problems);
  return settings;
}

function readSecrets(file: string, problems: string[]): readonly string[] {
  try {
    const secrets = readFileSync(file, 'utf8').split(/\s+/).filter(Boolean);
    if (secrets.length >= 1 && secrets.length <= MAX_SECRETS && secrets.every(isMessageSecret)) return secrets;
    problems.push('PROVIDER_SECRET_FILE: the file must hold one or two secrets (whsec_ and base64), one a line');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    problems.push(`PROVIDER_SECRET_FILE: write the path of a file with a secret that can be read (${code})`);
  }
  return [];
}
