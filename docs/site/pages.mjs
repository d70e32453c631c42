/** The pages of the site: where they lie in the repository, and where on the site. */
import { readdirSync } from 'node:fs';
import path from 'node:path';

export const root = path.resolve(import.meta.dirname, '../..');

/** Returns the Markdown files of a folder of the repository, README.md first. */
export const markdownIn = (folder) =>
  readdirSync(path.join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .sort((one, other) => Number(other === 'README.md') - Number(one === 'README.md') || one.localeCompare(other))
    .map((name) => path.posix.join(folder, name));

const FOLDERS = [
  '.',
  'docs',
  'docs/adr',
  'docs/events',
  'docs/quickstart',
  'docs/tutorials',
  'sdks/typescript',
  'sdks/python',
];

/** Paths in the repository. */
export const PAGES = FOLDERS.flatMap(markdownIn);

/** Pictures of pages, by their paths in the repository. */
export const PICTURES = readdirSync(path.join(root, 'docs/analytics/charts')).map(
  (name) => `docs/analytics/charts/${name}`,
);

/** Returns the path on the site: the code host shows README.md for its folder, a web server index.html. */
export const sitePath = (page) => page.replace(/README\.md$/, 'index.md');
