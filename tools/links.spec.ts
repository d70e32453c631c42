import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { readComposition } from '@settle/testing';

const root = path.dirname(import.meta.dirname);
const LINK = /\]\((?!https?:|mailto:|#)([^)#\s]+)(?:#[^)]*)?\)/g;

const markdownIn = (folder: string): string[] =>
  readdirSync(path.join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map(({ name }) => path.join(folder, name));

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
const pages = FOLDERS.flatMap(markdownIn);

describe('the documentation', () => {
  it.each(pages)('given %s, when its links to files are followed, then each file exists', (page) => {
    const targets = [...readFileSync(path.join(root, page), 'utf8').matchAll(LINK)].map(([, target = '']) => target);
    const missing = targets.filter((target) => !existsSync(path.join(root, path.dirname(page), target)));
    expect(missing).toEqual([]);
  });

  it('given the commands for compose, when they are read, then they name existing services', () => {
    const { services } = readComposition({});
    const named = pages.flatMap((page) =>
      [
        ...readFileSync(path.join(root, page), 'utf8').matchAll(
          /docker compose (?:exec|logs|restart|run --rm) ([a-z-]+)/g,
        ),
      ].map(([, service = '']) => service),
    );
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((service) => !(service in services))).toEqual([]);
  });

  it('given all pages, when their links are collected, then some lead to files', () => {
    const links = pages.flatMap((page) => [...readFileSync(path.join(root, page), 'utf8').matchAll(LINK)]);
    expect(links.length).toBeGreaterThan(20);
  });
});
