import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openApiDocument } from '@settle/api-gateway';
import { readSettings } from '@settle/config';
import { ERROR_CATALOGUE } from '@settle/contracts';

const workspace = fileURLToPath(new URL('../', import.meta.url));
const NOT_PRODUCT = /(^|\/)(node_modules|dist|openapi|e2e)\/|\.(spec|fixture)\.ts$|\.d\.ts$/;
/** Text in quotes, or in backticks with what is filled in. */
const LITERAL = /'((?:[^'\\\n]|\\.)+)'|`((?:[^`\\]|\\.)+)`/g;
const FILLED_IN = /\$\{[^}]*\}/;
const FEWEST_LETTERS = 10;

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Patterns of the texts that the product's code holds. */
const said = ['apps', 'libs']
  .flatMap((room) => readdirSync(workspace + room, { recursive: true }).map((name) => `${room}/${String(name)}`))
  .filter((path) => path.endsWith('.ts') && !NOT_PRODUCT.test(path))
  .flatMap((path) => [...readFileSync(workspace + path, 'utf8').matchAll(LITERAL)])
  .map(([, quoted, template = '']) => (quoted === undefined ? template.split(FILLED_IN) : [quoted]))
  .filter((parts) => parts.join('').length > FEWEST_LETTERS)
  .map((parts) => new RegExp(`^${parts.map(escaped).join('.+')}$`));

const { info, components } = openApiDocument(readSettings({})) as {
  info: { description: string };
  components: { examples: Record<string, { value: { error: { message: string } } }> };
};

describe('the examples of errors in the OpenAPI document', () => {
  const answered = Object.entries(ERROR_CATALOGUE).filter(
    ([code, { meaning }]) => !info.description.includes(`\`${code}\` | ${meaning} | Not answered yet.`),
  );

  // Shows error-3
  it.each(answered)('given %s, when its example is looked up, then it is a message of the product', (code) => {
    const message = components.examples[code]?.value.error.message ?? '';
    expect([message, said.some((pattern) => pattern.test(message))]).toEqual([message, true]);
  });
});
