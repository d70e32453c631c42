import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

const root = path.dirname(import.meta.dirname);
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

/** Paths of the home page, the account pages, the developer pages and the development pages; apps link to the others. */
const IS_LISTED = /^\/($|account(\/|$)|developers(\/|$)|dev\/)/;

/** The paths that the controllers of auth-service answer a GET at, their parameters as `<>`. */
function pagePaths(): string[] {
  const folder = 'apps/auth-service/src';
  const files = readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' });
  const controllers = files.filter((file) => file.endsWith('.controller.ts')).map((file) => path.join(folder, file));
  const routes = controllers.map(read).flatMap((source) => {
    const base = /@Controller\((?:'([^']*)')?\)/.exec(source);
    if (base === null) return [];
    return [...source.matchAll(/@Get\((?:'([^']*)')?\)/g)].map(([, at]) => [base[1], at].filter(Boolean).join('/'));
  });
  const paths = routes.map((route) => `/${route.replaceAll(/:\w+/g, '<>')}`);
  return [...new Set(paths)].filter((page) => IS_LISTED.test(page)).toSorted();
}

/** The paths in the first column of the table. */
function documentedPaths(): string[] {
  const rows = read('docs/pages.md').matchAll(/^\| (`[^|]*`) +\|/gm);
  const paths = [...rows].flatMap(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, page = '']) => page));
  return paths.map((page) => page.replaceAll(/<\w+>/g, '<>')).filter((page) => IS_LISTED.test(page));
}

describe('the table of pages', () => {
  it('given the controllers of auth-service, when their pages are compared with the table, then it lists each once and no other', () => {
    const pages = pagePaths();
    expect(pages).toEqual(expect.arrayContaining(['/', '/account/apps', '/developers', '/developers/apps/<>']));
    expect(documentedPaths().toSorted()).toEqual(pages);
  });
});
