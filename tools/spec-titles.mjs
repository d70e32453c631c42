import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const root = path.dirname(import.meta.dirname);
const BLOCKS = new Set(['describe', 'it', 'test']);
const LEFT_OUT = new Set(['xdescribe', 'xit', 'xtest']);
const LEAVES_OUT = new Set(['skip', 'todo', 'failing', 'only']);

/**
 * The specs that a file holds, as it is written: `it.each` once, by its template, and what a title fills in as it
 * stands in the code.
 * @param file below the root of the workspace
 * @returns each with the titles of what it stands in and its range in the text, comments above it included;
 *   `isLeftOut` when jest does not run it or wants it to fail
 */
export function specsIn(file, text = readFileSync(path.join(root, file), 'utf8')) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const specs = [];
  const visit = (node, within) => {
    const block = ts.isCallExpression(node) ? blockOf(node) : null;
    if (block === null) return ts.forEachChild(node, (child) => visit(child, within));
    const titles = [...within.titles, titleOf(node.arguments[0])];
    const isLeftOut = within.isLeftOut || block.isLeftOut;
    if (block.name !== 'describe') specs.push({ titles, isLeftOut, start: node.getFullStart(), end: node.end });
    else node.arguments.forEach((argument) => visit(argument, { titles, isLeftOut }));
  };
  visit(source, { titles: [], isLeftOut: false });
  return specs;
}

/** Returns the block that `it(...)`, `it.each(...)(...)`, `describe.skip(...)` and similar calls begin; null for any other call. */
function blockOf(call) {
  const words = wordsOf(call.expression);
  const name = words[0]?.replace(/^[xf](?=describe|it|test)/, '') ?? '';
  const isTable = words.at(-1) === 'each' && !ts.isCallExpression(call.expression);
  if (!BLOCKS.has(name) || isTable || call.arguments.length === 0) return null;
  return { name, isLeftOut: LEFT_OUT.has(words[0]) || words.some((word) => LEAVES_OUT.has(word)) };
}

/** `it.each(rows)` as it, each. */
function wordsOf(expression) {
  if (ts.isIdentifier(expression)) return [expression.text];
  if (ts.isPropertyAccessExpression(expression)) return [...wordsOf(expression.expression), expression.name.text];
  if (ts.isCallExpression(expression)) return wordsOf(expression.expression);
  if (ts.isTaggedTemplateExpression(expression)) return wordsOf(expression.tag);
  return [];
}

function titleOf(argument) {
  if (ts.isStringLiteralLike(argument)) return argument.text;
  if (ts.isTemplateExpression(argument)) return argument.getText().slice(1, -1);
  return argument.getText();
}
