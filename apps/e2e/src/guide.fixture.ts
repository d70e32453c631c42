import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { baseUrl } from './client.js';
import { prepareDedicatedProduct } from './dedicated-product.js';

const root = path.resolve(import.meta.dirname, '../../..');

/** The address of the product on the pages. */
const DOCUMENTED_ORIGIN = 'http://localhost:3000';
/** A page takes seconds, but a compiler without a cache takes a minute on a busy machine. */
const RUN_TIMEOUT_MS = 240_000;
/** For Jest: longer than a run. */
export const GUIDE_TIMEOUT_MS = RUN_TIMEOUT_MS + 30_000;
const END_OF_FILE = 'END OF THE FILE';

/** The steps of a page, as its code blocks describe them. */
export interface Guide {
  /**
   * All steps as one script for `sh`: the `sh` blocks are its commands. A block that names a file after its language, as
   * in "```ts main.ts", is appended to this file in the current folder.
   */
  readonly script: string;
  /** The `text` blocks: the output of the commands. An `…` stands for any part of a line. */
  readonly output: string;
}

/**
 * Reads the code blocks of a page.
 * @param page path below `docs`
 * @param origin address of the product, which replaces the one on the page
 */
export function readGuide(page: string, origin = new URL(baseUrl()).origin): Guide {
  const text = readFileSync(path.join(root, 'docs', page), 'utf8').replaceAll(DOCUMENTED_ORIGIN, origin);
  let script = '';
  let output = '';
  for (const [, language, file, code = ''] of text.matchAll(/^```(\w+)(?: (\S+))?\n([^]*?)^```$/gm)) {
    if (file !== undefined) script += `cat >>${file} <<'${END_OF_FILE}'\n${code}${END_OF_FILE}\n`;
    else if (language === 'sh') script += code;
    else if (language === 'text') output += code;
  }
  return { script, output };
}

/** A folder like that of a reader, who has cloned the product into its folder `settle`. */
export class ReaderFolder {
  readonly path = mkdtempSync(path.join(tmpdir(), 'settle-guide-'));

  /** @param env variables in addition to those of the specs */
  constructor(private readonly env: Readonly<Record<string, string>> = {}) {
    symlinkSync(root, path.join(this.path, 'settle'));
  }

  /** Returns the environment of programs in the folder. */
  environment(): NodeJS.ProcessEnv {
    return {
      ...process.env,
      PATH: `${path.dirname(process.execPath)}${path.delimiter}${process.env.PATH}`,
      // `npm run token` finds the product by it.
      PUBLIC_URL: new URL(baseUrl()).origin,
      // Older versions of Node run TypeScript only on request.
      NODE_OPTIONS: process.features.typescript === false ? '--experimental-strip-types --no-warnings' : '',
      // Everything that the pages install is in the checkout.
      ...{ npm_config_offline: 'true', npm_config_audit: 'false', npm_config_fund: 'false' },
      ...this.env,
    };
  }

  /** Runs a program in the folder and returns its output. It must succeed. */
  async run(program: string, args: readonly string[]): Promise<string> {
    const options = { cwd: this.path, env: this.environment(), timeout: RUN_TIMEOUT_MS };
    const run = promisify(execFile)(program, [...args], options);
    const { stdout } = await run.catch(({ stdout, stderr }: { stdout: string; stderr: string }) => {
      throw new Error(`${program} failed:\n${stdout}${stderr}`);
    });
    return stdout;
  }

  /** Follows a page from its first command to its last one. The output must be that of the page. */
  async follow(page: string): Promise<void> {
    const { script, output } = readGuide(page);
    const pattern = output.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '.*');
    expect(await this.run('sh', ['-e', '-c', script])).toMatch(new RegExp(`^${pattern}$`));
  }

  /** Checks the types of TypeScript programs in the folder. */
  async checkTypes(...files: readonly string[]): Promise<void> {
    const types = ['--typeRoots', path.join(root, 'node_modules/@types'), '--types', 'node'];
    const options = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext', ...types];
    const compiler = path.join(root, 'node_modules/typescript7/bin/tsc');
    const args = [compiler, ...options, '--allowImportingTsExtensions', ...files];
    await this.run(process.execPath, args);
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

export interface Quickstart {
  /** Such as `in Go`. */
  readonly name: string;
  readonly page: string;
  /** Variables in addition to those of the specs. */
  readonly env?: Readonly<Record<string, string>>;
  /** The end of the title: the result of `check`. */
  readonly andThen?: string;
  readonly check?: (folder: ReaderFolder) => Promise<void>;
}

/** Describes the spec that follows a quickstart. Balances on its page are those of a new product. */
export function describeQuickstart({ name, page, env, andThen = '', check }: Quickstart): void {
  describe(`the quickstart ${name}`, () => {
    const product = prepareDedicatedProduct();
    const folder = new ReaderFolder(env);
    beforeAll(() => product.start(), GUIDE_TIMEOUT_MS);
    afterAll(async () => {
      folder.remove();
      await product.close();
    }, GUIDE_TIMEOUT_MS);

    it(
      `given a new folder, when its page is followed, then the output is that of the page${andThen}`,
      async () => {
        await folder.follow(page);
        await check?.(folder);
      },
      GUIDE_TIMEOUT_MS,
    );
  });
}
