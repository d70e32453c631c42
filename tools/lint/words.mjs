import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..', '..');

/** Refused words and phrases, each with what to write instead. Matched without regard to case, as whole words. */
export const REFUSED_WORDS = [
  ['somebody|someone else', 'another user, a client, another process'],
  ['nobody|no-one', 'no user, no client, no process'],
  // Not `everyone`, which is a value of CONTACT_VISIBILITY.
  ['everybody', 'all users, all clients, every process'],
  ['anybody|anyone', 'any user, any client'],
  ['whoever', 'the user, the caller, the operator, the client'],
  ['(?:is|are|was|were) told', 'receives, is notified, gets an error'],
  ['that is none|is none that', 'which is not a ...'],
  ["one's own", 'its own'],
  ['in hand', 'in progress'],
  ['of its own accord', 'by itself'],
  ['let in', 'authorized'],
  ['lanes?', 'concurrency slots'],
  ['errands?', 'funding call'],
  ['hindrances?', 'block'],
  ['leftovers?', 'orphaned schemas, orphaned processes'],
  ['passages?', 'proxied request'],
  ['doors?', 'session, connection, access'],
  ['switch-over', 'cutover'],
  ['lookAround', 'fetchMetadata'],
  ['passOver', 'skip'],
  ['untilShown', 'awaitProjection'],
  ['inLanes', 'forEachConcurrent'],
  ['under way', 'in progress, in flight'],
  ['(?:takes|took|taken) up', 'starts, processes'],
  ['holds? up|held up', 'blocks, delays'],
  ['be told', 'be notified, receive'],
  ['colours?', 'color'],
  ['behaviours?', 'behavior'],
  ['licences?', 'license'],
  ['(?:recogn|organ|initial|serial|parameter|author|normal)is(?:e|es|ed|ing|ation)', 'the spelling with z'],
];

/** Refused first words of comments, each with what to write instead. They begin a phrase that is not a sentence. */
export const REFUSED_OPENINGS = [
  ['What(?:ever)?', 'a verb or a noun: "Returns the ...", "The fields of ..."'],
  ['Of', 'a noun: "The limit of ...", "The path of ..."'],
  ['Who|Whom|Whose', 'the user, the caller, the operator: "The user who ..."'],
  ['Told', '"Sent to ...", "Received by ..."'],
  ['Asked', '"Requested by ...", "Called before ..."'],
  ['Goes? on', '"Continues ..."'],
];

/** Where code, specs, tools and documents are checked: path specifications of git. */
export const CHECKED_PATHS = [
  'apps',
  'libs',
  'sdks',
  'tools',
  'docs',
  '*.md',
  'docker-compose.yml',
  '.github',
  '*.mjs',
  'deploy',
  'docker',
  '.ci',
];
const CHECKED_FILES = /\.(?:ts|mjs|md|ya?ml|lua|py|sh|sql|tpl|service|target)$|(?:^|\/)(?:Dockerfile|run)$/;
/** The word list and its spec contain the words; the page of providers quotes values of processors; released migrations never change; texts of generated files are checked where they come from. */
const LEFT_OUT = /^tools\/lint\/words\.(?:spec\.ts|mjs)$|^docs\/providers\.md$|\.(?:migration|generated)\.ts$/;
/** Text between a line and the first word of a comment in it; a docstring of several lines begins on its second one. */
const OPENING = '(?<=^(?:.*\\s)?(?:\\/\\*\\*|\\/\\/) )';
const SECOND_LINE = '(?<=^\\s*\\* )';

/** Returns a line for each refused word or opening: `file:line: "word": write ...`. */
export function refusedWordsIn(file, text) {
  const lines = text.split('\n');
  return lines.flatMap((line, at) => {
    const opening = lines[at - 1]?.trim() === '/**' ? SECOND_LINE : OPENING;
    const rules = [
      ...REFUSED_WORDS.map(([pattern, instead]) => [new RegExp(`\\b(?:${pattern})\\b`, 'gi'), instead]),
      ...REFUSED_OPENINGS.map(([pattern, instead]) => [new RegExp(`${opening}(?:${pattern})\\b`, 'g'), instead]),
    ];
    return rules.flatMap(([pattern, instead]) =>
      [...line.matchAll(pattern)].map(([word]) => `${file}:${at + 1}: "${word}": write ${instead}`),
    );
  });
}

/** Returns the refused words in all checked files. */
export function refusedWords() {
  const listed = execFileSync('git', ['ls-files', '--', ...CHECKED_PATHS], { cwd: root, encoding: 'utf8' });
  return listed
    .split('\n')
    .filter((file) => CHECKED_FILES.test(file) && !LEFT_OUT.test(file))
    .flatMap((file) => refusedWordsIn(file, readFileSync(path.join(root, file), 'utf8')));
}
