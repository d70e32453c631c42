import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runNpm, runQuietly } from './run-nx.mjs';

const root = path.dirname(import.meta.dirname);
const readme = readFileSync(path.join(root, 'sdks/typescript/README.md'), 'utf8');

/** The values that the example of the README has from its program. */
const DECLARED = `
declare const tokens: { accessToken: string; refreshToken: string };
declare const userId: string;
declare const store: { save(userId: string, tokens: { accessToken: string }): Promise<void> };
`;
/** A browser, without the types of Node. */
const TSCONFIG = {
  compilerOptions: {
    ...{ strict: true, noEmit: true, module: 'esnext', target: 'es2022', moduleResolution: 'bundler' },
    ...{ lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'], types: [], exactOptionalPropertyTypes: true },
  },
};

describe('the package @settle/client', () => {
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'settle-client-'));
    await runNpm(['pack', '-w', '@settle/client', '--pack-destination', folder]);
    writeFileSync(path.join(folder, 'package.json'), '{"private":true,"type":"module"}');
    const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };
    const packed = path.join(folder, `settle-client-${version}.tgz`);
    await runNpm(['install', '--prefix', folder, '--offline', '--no-audit', '--no-fund', '--ignore-scripts', packed]);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('given an empty folder, when the packed package is installed and imported, then it works without other packages', async () => {
    const program = `
      import { SettleClient } from '@settle/client';
      const app = { baseUrl: 'http://127.0.0.1:1/v1', clientId: 'a', tokens: { accessToken: 't' }, maxAttempts: 1 };
      const error = await new SettleClient(app).me().catch((reason) => reason);
      process.stdout.write(error.name);
    `;
    writeFileSync(path.join(folder, 'program.mjs'), program);
    expect(await runQuietly(process.execPath, [path.join(folder, 'program.mjs')])).toBe('ConnectionError');
    const { packages } = JSON.parse(readFileSync(path.join(folder, 'package-lock.json'), 'utf8')) as {
      packages: object;
    };
    expect(Object.keys(packages)).toEqual(['', 'node_modules/@settle/client']);
  });

  it('given the example of its README, when it is compiled for a browser, then the types fit', async () => {
    const [, example = ''] = /```ts\n([^]*?)```/.exec(readme) ?? [];
    expect(example.trim().split('\n').length).toBeLessThanOrEqual(12);
    writeFileSync(path.join(folder, 'example.ts'), example + DECLARED);
    writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
    const compiler = path.join(root, 'node_modules/typescript7/bin/tsc');
    await runQuietly(process.execPath, [compiler, '-p', folder]).catch((error: { output: string }) => {
      throw new Error(error.output);
    });
  });
});
