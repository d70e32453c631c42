import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings } from '@settle/config';
import { WrappingKeys } from './wrapping-keys.js';

const newKey = () => randomBytes(32).toString('base64');
const dataKey = randomBytes(32);

describe('the wrapping keys', () => {
  it('given a wrapped key, when it is unwrapped for its user, then it is the same; for another user it is refused', () => {
    const keys = new WrappingKeys(newKey());
    const wrapped = keys.wrap('1', dataKey);
    expect(keys.unwrap('1', wrapped)).toEqual(dataKey);
    expect(() => keys.unwrap('2', wrapped)).toThrow();
  });

  it('given an earlier key in the second line, when keys are wrapped, then the first one wraps and both unwrap', () => {
    const [earlier, later] = [newKey(), newKey()];
    const old = new WrappingKeys(earlier).wrap('1', dataKey);
    const keys = new WrappingKeys(`${later}\n${earlier}`);
    const anew = keys.wrap('1', keys.unwrap('1', old));
    expect(anew.wrappedWith).toBe(keys.newest);
    expect(new WrappingKeys(later).unwrap('1', anew)).toEqual(dataKey);
  });

  it('given a key that is missing, when it is needed, then the error names the setting and no key', () => {
    const wrapped = new WrappingKeys(newKey()).wrap('1', dataKey);
    expect(() => new WrappingKeys(newKey()).unwrap('1', wrapped)).toThrow(
      `DATA_KEY: the key ${wrapped.wrappedWith}, with which`,
    );
  });

  it('given a file that changes, when a key of the new file comes, then it is read again without a restart', () => {
    const folder = mkdtempSync(join(tmpdir(), 'settle-data-key-'));
    try {
      const [earlier, later] = [newKey(), newKey()];
      const file = join(folder, 'key');
      writeFileSync(file, earlier);
      const { dataKey: written } = readSettings({ NODE_ENV: 'test', DATA_KEY_FILE: file });
      const keys = new WrappingKeys(written ?? '');
      writeFileSync(file, `${later}\n${earlier}\n`);
      const anew = new WrappingKeys(later).wrap('1', dataKey);
      expect(keys.unwrap('1', anew)).toEqual(dataKey);
      expect(keys.wrap('1', dataKey).wrappedWith).toBe(anew.wrappedWith);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
