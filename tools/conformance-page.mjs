import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { projectsOn } from '../jest.config.mjs';
import { specsIn } from './spec-titles.mjs';

const root = path.dirname(import.meta.dirname);
const BOTH_SHAPES = ['e2e', 'e2e-stack'];
const RULES = 'apps/e2e/conformance-rules.md';
const TAG = /^ *\/\/ Shows ([a-z]+-\d+(?:, [a-z]+-\d+)*)$/gm;

/** The page is the same on every machine, so specs that need a browser count where none is installed, too. */
const PROJECTS = projectsOn();

/** Names of the Jest projects that run a spec file, by the patterns of the configuration. */
function projectsThatRun(file) {
  return PROJECTS.filter(({ testMatch }) =>
    testMatch.some((glob) => file.endsWith(glob.slice(glob.lastIndexOf('*') + 1))),
  )
    .filter(
      ({ testPathIgnorePatterns = [] }) => !testPathIgnorePatterns.some((one) => new RegExp(one).test(`/${file}`)),
    )
    .map(({ displayName }) => displayName);
}

/** Chapters of the list of rules: `{ title, rules: [{ id, text }] }`. */
export function chaptersIn(text = readFileSync(path.join(root, RULES), 'utf8')) {
  return text
    .split(/^## /m)
    .slice(1)
    .map((chapter) => ({
      title: chapter.slice(0, chapter.indexOf('\n')),
      rules: [...chapter.matchAll(/^- \*\*(\S+)\*\* (.+)$/gm)].map(([, id, rule]) => ({ id, text: rule })),
    }));
}

/** Every spec file of the workspace with its text. */
function specFiles() {
  return ['apps', 'libs', 'tools']
    .flatMap((folder) => readdirSync(path.join(root, folder), { recursive: true }).map((file) => `${folder}/${file}`))
    .filter((file) => file.endsWith('.spec.ts') && !file.includes('node_modules/'))
    .sort()
    .map((file) => ({ file, text: readFileSync(path.join(root, file), 'utf8') }));
}

/** The tags of spec files, one for each rule that a comment names: `{ id, file, isSkipped }`. */
export function tagsIn(files = specFiles()) {
  return files.flatMap(({ file, text }) => {
    const tags = [...text.matchAll(TAG)];
    if (tags.length === 0) return [];
    const skipped = specsIn(file, text).filter(({ isLeftOut }) => isLeftOut);
    return tags.flatMap(({ 1: ids, index }) => {
      const isSkipped = skipped.some(({ start, end }) => index >= start && index < end);
      return ids.split(', ').map((id) => ({ id, file, isSkipped }));
    });
  });
}

/** Returns the problems: rules that no running spec shows, and tags that name no rule or are in a spec that does not run. */
export function conformanceProblems(chapters, tags) {
  const ids = chapters.flatMap(({ rules }) => rules.map(({ id }) => id));
  const shown = new Set(tags.map(({ id }) => id));
  return [
    ...ids.filter((id, at) => ids.indexOf(id) !== at).map((id) => `${id}: two rules have this id`),
    ...ids.filter((id) => !shown.has(id)).map((id) => `${id}: no spec shows it`),
    ...tags
      .filter(({ id }) => !ids.includes(id))
      .map(({ id, file }) => `${id}: ${file} names it, and no rule has this id`),
    ...tags.filter(({ isSkipped }) => isSkipped).map(({ id, file }) => `${id}: the spec in ${file} is skipped`),
    ...tags
      .filter(({ file }) => projectsThatRun(file).length === 0)
      .map(({ id, file }) => `${id}: no test run includes ${file}`),
  ];
}

/** The text of `docs/conformance.md`. */
export function conformancePage(chapters = chaptersIn(), tags = tagsIn()) {
  const filesOf = (id) => [...new Set(tags.filter((tag) => tag.id === id).map(({ file }) => file))];
  return [
    '# The interface, rule by rule, and the specs that show it',
    '',
    `Generated from \`${RULES}\` and the comments \`// Shows <rule>\` in specs by \`node tools/generate.mjs\`.`,
    '',
    'Search a spec file for the id of a rule to find the test or the line of a table that shows it. `npm run check` fails',
    'when a rule has no spec; `npm test` fails when the spec does.',
    '',
    '- **both shapes**: over HTTP on the running product, in one process (`npm start`) and in several on Apache Kafka.',
    '  What cannot differ between them runs in several each night, with `--every-shape`.',
    '- **embedded**, **stack**: over HTTP on one of them.',
    '- **part**: on a part that both shapes are made of, with a real PostgreSQL or HTTP where it uses them. Such a spec',
    '  stands alone where the rule needs another clock, a fault of one part or thousands of tries, or is about events, logs',
    '  and stored rows, which no response shows.',
    ...chapters.flatMap(({ title, rules }) => [
      '',
      `## ${title}`,
      '',
      '| Rule | Text | Shown by |',
      '| --- | --- | --- |',
      ...rules.map(
        ({ id, text }) => `| ${id} | ${text.replaceAll('|', '\\|')} | ${filesOf(id).map(linkTo).join('<br>')} |`,
      ),
    ]),
    '',
  ].join('\n');
}

function linkTo(file) {
  const projects = projectsThatRun(file);
  const isInBothShapes = BOTH_SHAPES.every((project) => projects.includes(project));
  const where = isInBothShapes
    ? 'both shapes'
    : ({ e2e: 'embedded', 'e2e-stack': 'stack', faults: 'stack' }[projects[0]] ?? 'part');
  return `**${where}** [${path.basename(file)}](../${file})`;
}
