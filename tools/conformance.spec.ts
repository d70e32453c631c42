import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ERROR_CATALOGUE } from '@settle/contracts';
import { projectsOn } from '../jest.config.mjs';
import { chaptersIn, conformancePage, conformanceProblems, tagsIn } from './conformance-page.mjs';
import { specsIn } from './spec-titles.mjs';

const root = path.dirname(import.meta.dirname);
const { paths } = JSON.parse(readFileSync(path.join(root, 'docs/openapi.json'), 'utf8')) as {
  paths: Record<string, Record<string, { parameters?: { name: string }[] }>>;
};
const rules = chaptersIn().flatMap((chapter) => chapter.rules);
const text = rules.map((rule) => rule.text).join('\n');

describe('the rules of the API', () => {
  it('given each rule, when specs are searched, then one that runs shows it', () => {
    expect(conformanceProblems(chaptersIn(), tagsIn())).toEqual([]);
  });

  it('given every code of the error catalogue, when rules are searched, then one says when it is returned', () => {
    expect(Object.keys(ERROR_CATALOGUE).filter((code) => !text.includes(`\`${code}\``))).toEqual([]);
  });

  it('given every documented operation and parameter, when rules are searched, then one names it', () => {
    const names = Object.entries(paths).flatMap(([place, operations]) => [
      place.replaceAll(/\{(\w+)\}/g, ':$1'),
      ...Object.values(operations).flatMap(({ parameters = [] }) => parameters.map(({ name }) => name)),
    ]);
    expect([...new Set(names)].filter((name) => !text.includes(name))).toEqual([]);
  });

  const file = 'tools/conformance.spec.ts';
  // Assembled, so that this file has no such tag itself.
  const tagged = (ids: string, test = 'it') => `// ${'Shows'} ${ids}\n${test}('given', () => {});\n`;
  const problems = (specs: { file: string; text: string }[], list = '- **a-1** one\n- **a-2** two') =>
    conformanceProblems(chaptersIn(`## A\n\n${list}\n`), tagsIn(specs));

  it.each<[string, { file: string; text: string }[], string]>([
    ['no spec', [{ file, text: tagged('a-1') }], 'a-2: no spec shows it'],
    [
      'a tag without a rule',
      [{ file, text: tagged('a-1, a-2, a-3') }],
      `a-3: ${file} names it, and no rule has this id`,
    ],
    [
      'a skipped spec',
      [{ file, text: tagged('a-1') + tagged('a-2', ['it', 'todo'].join('.')) }],
      `a-2: the spec in ${file} is skipped`,
    ],
    [
      'a file that no run includes',
      [{ file: 'tools/check.mjs', text: tagged('a-1, a-2') }],
      'a-1: no test run includes tools/check.mjs',
    ],
  ])('given %s, when the rules are checked, then the problem is named', (_what, specs, problem) => {
    expect(problems(specs)).toContain(problem);
  });

  it('given two rules with one id, when the rules are checked, then the problem is named', () => {
    const list = '- **a-1** one\n- **a-1** two';
    expect(problems([{ file, text: tagged('a-1') }], list)).toEqual(['a-1: two rules have this id']);
  });

  it('given tags above a test and in its table, when the page is generated, then each rule names the file once', () => {
    const table = `it.each([\n  // ${'Shows'} a-2\n  'line',\n])('given %s', () => {});\n`;
    const specs = [{ file, text: tagged('a-1, a-2') + table }];
    const page = conformancePage(chaptersIn('## A\n\n- **a-1** one\n- **a-2** two\n'), tagsIn(specs));
    expect(page.split('\n').filter((line) => line.startsWith('| a-'))).toEqual([
      `| a-1 | one | **part** [conformance.spec.ts](../${file}) |`,
      `| a-2 | two | **part** [conformance.spec.ts](../${file}) |`,
    ]);
    expect(problems(specs)).toEqual([]);
  });

  it('given a machine without Chromium, when its specs are listed, then the Chromium specs are left out and still show their rules', () => {
    const walk = 'apps/e2e/src/walk.e2e.spec.ts';
    const projectsThatRunIt = (hasChromium: boolean) =>
      projectsOn(hasChromium ? [] : ['chromium'])
        .map(({ displayName, ...project }) => ({
          displayName,
          ignored: 'testPathIgnorePatterns' in project ? project.testPathIgnorePatterns : [],
        }))
        .filter(({ displayName, ignored }) => {
          return ['e2e', 'e2e-stack'].includes(displayName) && !ignored.some((one) => new RegExp(one).test(`/${walk}`));
        })
        .map(({ displayName }) => displayName);
    expect([false, true].map(projectsThatRunIt)).toEqual([[], ['e2e', 'e2e-stack']]);
    expect(problems([{ file: walk, text: tagged('a-1, a-2') }])).toEqual([]);
  });
});

describe('the specs of a file', () => {
  it('given blocks of every kind, when they are read, then each has the titles around it and whether it runs', () => {
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
