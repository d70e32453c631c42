import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ERROR_CATALOGUE } from '@settle/contracts';
import { CONFORMANCE, type Chapter, type ShownBy } from '@settle/e2e';
import { projectsOn } from '../jest.config.mjs';
import { conformanceProblems } from './conformance-page.mjs';
import { specsIn } from './spec-titles.mjs';

const root = path.dirname(import.meta.dirname);
const { paths } = JSON.parse(readFileSync(path.join(root, 'docs/openapi.json'), 'utf8')) as {
  paths: Record<string, Record<string, { parameters?: { name: string }[] }>>;
};

const rows = CONFORMANCE.flatMap((chapter) => Object.keys(chapter.rows));
const text = rows.join('\n');
const withRow = (shownBy: ShownBy | ShownBy[]): Chapter[] => [{ title: 'A chapter', rows: { 'a row': shownBy } }];

describe('the table of what holds', () => {
  it('given each row, then specs that run show it (else: apps/e2e/src/conformance)', () => {
    expect(conformanceProblems(CONFORMANCE)).toEqual([]);
  });

  it('given every code of the catalogue, then a row says when it is answered', () => {
    expect(Object.keys(ERROR_CATALOGUE).filter((code) => !text.includes(`\`${code}\``))).toEqual([]);
  });

  it('given every call and parameter that is documented, then rows tell of it', () => {
    const names = Object.entries(paths).flatMap(([place, operations]) => [
      place.replaceAll(/\{(\w+)\}/g, ':$1'),
      ...Object.values(operations).flatMap(({ parameters = [] }) => parameters.map(({ name }) => name)),
    ]);
    expect([...new Set(names)].filter((name) => !text.includes(name))).toEqual([]);
  });

  const file = 'tools/conformance.spec.ts';
  const title = 'given each row, then specs that run show it (else: apps/e2e/src/conformance)';
  it.each<[string, ShownBy | ShownBy[], string]>([
    ['no spec', [], 'A chapter: a row: no spec shows it'],
    ['a file that is gone', { file: 'tools/gone.spec.ts', title, cases: [] }, 'there is no tools/gone.spec.ts'],
    ['a file that no run takes', { file: 'tools/check.mjs', title, cases: [] }, 'no test run runs tools/check.mjs'],
    ['a renamed spec', { file, title: title.slice(0, -1), cases: [] }, `${file} has 0 specs`],
    ['a line that is gone', { file, title, cases: [['gone', 'line'].join(' ')] }, `${file} no longer has`],
  ])('given a row with %s, then the check says so', (_what, shownBy, problem) => {
    expect(conformanceProblems(withRow(shownBy))).toEqual([expect.stringContaining(problem)]);
  });

  it('given a machine without Chromium, when its specs are listed, then the walk is left out and still counts as a row', () => {
    const walk = 'apps/e2e/src/walk.e2e.spec.ts';
    const projectsThatRunIt = (hasChromium: boolean) =>
      projectsOn({ hasChromium })
        .map(({ displayName, ...project }) => ({
          displayName,
          ignored: 'testPathIgnorePatterns' in project ? project.testPathIgnorePatterns : [],
        }))
        .filter(({ displayName, ignored }) => {
          return ['e2e', 'e2e-stack'].includes(displayName) && !ignored.some((one) => new RegExp(one).test(`/${walk}`));
        })
        .map(({ displayName }) => displayName);
    expect([false, true].map(projectsThatRunIt)).toEqual([[], ['e2e', 'e2e-stack']]);
    const shown = {
      file: walk,
      title: 'given all these pages, then axe finds nothing, none is too wide, and the browser refused nothing',
      cases: [],
    };
    expect(conformanceProblems(withRow(shown))).toEqual([]);
  });

  it('given a row that is shown, then the check is content', () => {
    expect(conformanceProblems(withRow({ file, title, cases: [] }))).toEqual([]);
  });
});

describe('the specs of a file', () => {
  it('given blocks of every kind, when they are read, then with the titles around them and whether they run', () => {
    const off = 'sk' + 'ip';
    const source = [
      `describe('a', () => { it('b', () => {}); it.each([1])('c %s', () => {}); it(\`d \${N}\`, () => {}); });`,
      `describe.each([1])('e %s', () => { it.${off}('f', () => {}); });`,
      `describe.${off}('g', () => { it('h', () => {}); });`,
      `test('i', () => { expect(it).toBe(1); });`,
    ];
    const found = specsIn('some.spec.ts', source.join('\n'));
    expect(found.map(({ titles, isLeftOut }) => [titles.join(' > '), isLeftOut])).toEqual([
      ['a > b', false],
      ['a > c %s', false],
      ['a > d ${N}', false],
      ['e %s > f', true],
      ['g > h', true],
      ['i', false],
    ]);
  });
});
