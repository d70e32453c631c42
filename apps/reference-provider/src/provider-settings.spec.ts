import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMessageSecret } from '@settle/provider-api';
import { readProviderSettings } from './provider-settings.js';

const folder = mkdtempSync(join(tmpdir(), 'settle-provider-'));
const file = join(folder, 'secrets');
const secrets = [createMessageSecret(), createMessageSecret()];
const env = { PROVIDER_SECRET_FILE: file };

beforeEach(() => writeFileSync(file, `${secrets.join('\n')}\n`));
afterAll(() => rmSync(folder, { recursive: true }));

describe('settings of the reference provider', () => {
  it('given secrets alone, when settings are read, then it listens on loopback', () => {
    expect(readProviderSettings(env)).toEqual({
      ...{ host: '127.0.0.1', port: 3_100, pagesUrl: null, callbackUrl: null, laterMs: 3_000, secrets },
    });
  });

  it('given production, when settings are read, then they are refused', () => {
    expect(() => readProviderSettings({ ...env, NODE_ENV: 'production' })).toThrow('does not run in production');
  });

  it.each([
    ['PROVIDER_PORT', '65536'],
    ['PROVIDER_LATER_MS', '-1'],
    ['PROVIDER_CALLBACK_URL', 'ftp://localhost/'],
    ['PROVIDER_PAGES_URL', 'localhost'],
    ['PROVIDER_SECRET_FILE', join(folder, 'missing')],
  ])('given %s=%s, when settings are read, then the setting is refused by its name', (name, value) => {
    expect(() => readProviderSettings({ ...env, [name]: value })).toThrow(name);
  });

  it.each([
    ['no secret', ''],
    ['a malformed secret', 'secret'],
    ['three secrets', [...secrets, createMessageSecret()].join('\n')],
  ])('given a file with %s, when settings are read, then it is refused', (_, text) => {
    writeFileSync(file, text);
    expect(() => readProviderSettings(env)).toThrow('one or two secrets');
  });
});
