import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const workspace = fileURLToPath(new URL('../../', import.meta.url));
const SOURCE = /\.(ts|mts|mjs|js|lua|hbs|ejs|eta|css|sql|ya?ml|sh|py)$/;
const IGNORED = /(^|\/)(node_modules|dist|\.data|\.nx|coverage)(\/|$)|\.generated\.ts$/;

const sources = ['apps', 'libs', 'sdks', 'tools']
  .flatMap((room) => readdirSync(workspace + room, { recursive: true }).map((name) => `${room}/${String(name)}`))
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => SOURCE.test(path) && !IGNORED.test(path))
  .map((path) => ({ path, text: readFileSync(workspace + path, 'utf8') }));

// Written in halves, so that this file may be read as well.
const UNFINISHED = new RegExp(`\\b(${['TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X'].join('|')})\\b`);
const SILENCED = new RegExp(`\\b(${['describe', 'it', 'test'].join('|')})\\.(on` + `ly|sk` + `ip|to` + `do)\\b`);

/** The paths of which `holds` is true, with the number of the first line that shows why. */
const where = (pattern: RegExp, of = sources) =>
  of.flatMap(({ path, text }) => {
    const at = text.split('\n').findIndex((line) => pattern.test(line));
    return at < 0 ? [] : [`${path}:${at + 1}`];
  });

const TAG = /^ *\/\/ Shows [a-z]+-\d/;

describe('every source file', () => {
  it('given the workspace, when its files are listed, then there are some', () => {
    expect(sources.length).toBeGreaterThan(20);
  });

  it('given any file, when its lines are counted, then there are fewer than 250', () => {
    const long = sources
      // Tags of rules that a spec shows do not count.
      .map(({ path, text }) => ({
        path,
        lines: text
          .trimEnd()
          .split('\n')
          .filter((line) => !TAG.test(line)).length,
      }))
      .filter(({ lines }) => lines >= 250);
    expect(long).toEqual([]);
  });

  it('given any file, when it is searched, then it has no postponed task', () => {
    expect(where(UNFINISHED)).toEqual([]);
  });

  it('given any spec, when it is searched, then none is skipped', () => {
    const specs = sources.filter(({ path }) => path.endsWith('.spec.ts'));
    expect(where(SILENCED, specs)).toEqual([]);
  });
});
