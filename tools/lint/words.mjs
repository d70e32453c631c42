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
];

/** Where code, specs, tools and documents are checked: path specifications of git. */
export const CHECKED_PATHS = ['apps', 'libs', 'tools', 'docs', '*.md', 'docker-compose.yml', '.github'];
const CHECKED_FILES = /\.(?:ts|mjs|md|yml|lua)$/;
/** The word list and its spec contain the words. */
const LEFT_OUT = /^tools\/lint\/words\.(?:spec\.ts|mjs)$/;

/** Returns a line for each refused word: `file:line: "word": write ...`. */
export function refusedWordsIn(file, text) {
  return text
    .split('\n')
    .flatMap((line, at) =>
      REFUSED_WORDS.flatMap(([pattern, instead]) =>
        [...line.matchAll(new RegExp(`\\b(?:${pattern})\\b`, 'gi'))].map(
          ([word]) => `${file}:${at + 1}: "${word}": write ${instead}`,
        ),
      ),
    );
}

/** Returns the refused words in all checked files. */
export function refusedWords() {
  const listed = execFileSync('git', ['ls-files', '--', ...CHECKED_PATHS], { cwd: root, encoding: 'utf8' });
  return listed
    .split('\n')
    .filter((file) => CHECKED_FILES.test(file) && !LEFT_OUT.test(file))
    .flatMap((file) => refusedWordsIn(file, readFileSync(path.join(root, file), 'utf8')));
}
