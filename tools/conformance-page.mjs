import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { projectsOn } from '../jest.config.mjs';
import { specsIn } from './spec-titles.mjs';

const root = path.dirname(import.meta.dirname);
const BOTH_SHAPES = ['e2e', 'e2e-stack'];

/** The page is the same on every machine, so specs that need a browser count where none is installed, too. */
const PROJECTS = projectsOn({ hasChromium: true });

/** Jest's projects that run a spec file, by the patterns of its configuration. */
function projectsThatRun(file) {
  return PROJECTS.filter(({ testMatch }) =>
    testMatch.some((glob) => file.endsWith(glob.slice(glob.lastIndexOf('*') + 1))),
  )
    .filter(
      ({ testPathIgnorePatterns = [] }) => !testPathIgnorePatterns.some((one) => new RegExp(one).test(`/${file}`)),
    )
    .map(({ displayName }) => displayName);
}

const specsByFile = new Map();

/** What is wrong with naming this spec; null when it is there, once, and runs. */
function problemWith({ file, title, cases }) {
  if (!existsSync(path.join(root, file))) return `there is no ${file}`;
  if (projectsThatRun(file).length === 0) return `no test run runs ${file}`;
  if (!specsByFile.has(file)) specsByFile.set(file, specsIn(file));
  const named = specsByFile.get(file).filter(({ titles }) => ` > ${titles.join(' > ')}`.endsWith(` > ${title}`));
  if (named.length !== 1) return `${file} has ${named.length} specs "${title}"`;
  if (named[0].isLeftOut) return `"${title}" of ${file} is switched off`;
  const text = readFileSync(path.join(root, file), 'utf8');
  const missing = cases.filter((one) => !text.includes(one));
  return missing.length === 0 ? null : `${file} no longer has "${missing.join('", "')}"`;
}

const rowsOf = (chapters) =>
  chapters.flatMap(({ title, rows }) =>
    Object.entries(rows).map(([row, shownBy]) => ({ chapter: title, row, shownBy: [shownBy].flat() })),
  );

/** Each row that no spec shows, or whose spec was renamed, removed or switched off: what is wrong with it. */
export function conformanceProblems(chapters) {
  return rowsOf(chapters).flatMap(({ chapter, row, shownBy }) => {
    const problems = shownBy.length === 0 ? ['no spec shows it'] : shownBy.map(problemWith);
    return problems.filter((problem) => problem !== null).map((problem) => `${chapter}: ${row}: ${problem}`);
  });
}

/** The text of `docs/conformance.md`. */
export function conformancePage(chapters) {
  return [
    '# What holds, and what shows it',
    '',
    'Made from `apps/e2e/src/conformance` by `node tools/generate.mjs`: change the tables there, not this page.',
    '',
    'Each row says one thing of the [interface](interface.md), and which specs show it: file, title as it is written there,',
    'and the line of its table, if it has one. `npm run check` fails when a row has no spec, or when its spec was renamed,',
    'removed or switched off; `npm test` fails when the spec does.',
    '',
    '- **both shapes**: over HTTP on the running product, in one process (`npm start`) and in several on Apache Kafka.',
    '- **embedded**, **stack**: over HTTP on one of them.',
    '- **part**: on a part of the product that both shapes are made of, with a real PostgreSQL or HTTP where it uses them.',
    '  It stands alone where it takes another clock, a fault of one part or thousands of tries to show, and for what no',
    '  answer tells: events, logs and what is stored.',
    ...chapters.flatMap(({ title, rows: own }) => [
      '',
      `## ${title}`,
      '',
      '| What holds | Shown by |',
      '| --- | --- |',
      ...Object.entries(own).map(
        ([row, shownBy]) => `| ${cell(row)} | ${[shownBy].flat().map(printed).join('<br>')} |`,
      ),
    ]),
    '',
  ].join('\n');
}

const cell = (text) => text.replaceAll('|', '\\|');
const isInBothShapes = ({ file }) => BOTH_SHAPES.every((project) => projectsThatRun(file).includes(project));

function printed({ file, title, cases }) {
  const [project] = projectsThatRun(file);
  const where = isInBothShapes({ file })
    ? 'both shapes'
    : ({ e2e: 'embedded', 'e2e-stack': 'stack', faults: 'stack' }[project] ?? 'part');
  const lines = cases.map((one) => ` · \`${one}\``).join('');
  return cell(`**${where}** [${path.basename(file)}](../${file}): ${title.replaceAll('<', '&lt;')}${lines}`);
}
