import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

const root = path.dirname(import.meta.dirname);
const PRODUCT = /^(apps\/(?!e2e\/)|libs\/(?!testing\/))[^/]+\/src\/(?!.*\.(spec|fixture)\.ts$).*\.ts$/;
/** Passes on what Nest logs: it has no texts of its own. */
const PASSES_ON = 'libs/observability/src/nest-pino-logger.ts';
/** A call that logs at one of the levels that an operator watches. */
const CALL = /\blogger\??\.(?:warn|error|fatal)\(/g;
const TEXT = /'((?:[^'\\\n]|\\.)*)'|`([^`]*)`/g;

interface LogLine {
  readonly file: string;
  readonly text: string;
}

/** Returns the log texts of a file: the texts of each call's arguments, joined. */
function logLines(file: string): LogLine[] {
  const source = readFileSync(path.join(root, file), 'utf8');
  return [...source.matchAll(CALL)].map(({ 0: call, index }) => {
    const texts = [...argumentsAt(source, index + call.length).matchAll(TEXT)];
    return { file, text: texts.map(([, quoted, template]) => quoted ?? template ?? '').join(' ') };
  });
}

/** From behind an opening parenthesis to the one that closes it. */
function argumentsAt(source: string, start: number): string {
  let depth = 1;
  let end = start;
  while (depth > 0 && end < source.length) {
    if (source[end] === '(') depth += 1;
    if (source[end] === ')') depth -= 1;
    end += 1;
  }
  return source.slice(start, end - 1);
}

/** The lines that tables of `docs/operations.md` name in their first cells, each a part of a line, with a space in it. */
function explainedIn(section: RegExp): string[] {
  const page = readFileSync(path.join(root, 'docs/operations.md'), 'utf8');
  const [text = ''] = section.exec(page) ?? [];
  const firstCells = [...text.matchAll(/^\| ([^|]+)\|/gm)].map(([, cell]) => cell ?? '');
  return firstCells.flatMap((cell) => [...cell.matchAll(/`([^`]* [^`]*)`/g)].map(([, row]) => row ?? ''));
}

const files = ['apps', 'libs'].flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.split(path.sep).join('/')}`)
    .filter((name) => !name.includes('node_modules') && PRODUCT.test(name) && name !== PASSES_ON),
);
const lines = files.flatMap(logLines);

describe('docs/operations.md', () => {
  it('given every line that the product logs as a warning or an error, when the page is read, then it explains the line', () => {
    expect(lines.length).toBeGreaterThan(40);
    const rows = explainedIn(/^## What lines and checks mean\n.*?(?=^## )/ms);
    const missing = lines.filter(({ text }) => !rows.some((row) => text.includes(row)));
    expect(missing.map(({ file, text }) => `no row explains the line "${text}" of ${file}`)).toEqual([]);
  });

  it('given the table of other warnings and errors, when a row is read, then the product logs that line', () => {
    const rows = explainedIn(/^### Other warnings and errors\n.*?(?=^## )/ms);
    expect(rows.length).toBeGreaterThan(30);
    expect(rows.filter((row) => !lines.some(({ text }) => text.includes(row)))).toEqual([]);
  });
});
