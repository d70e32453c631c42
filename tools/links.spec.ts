import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { readComposition } from '@settle/testing';
import { PAGES } from '../docs/site/pages.mjs';

const root = path.dirname(import.meta.dirname);
const LINK = /\]\((?!https?:|mailto:|#)([^)#\s]+)(?:#[^)]*)?\)/g;
/** A link whose text is the name or the path of a file. */
const NAMED_FILE = /\[`?((?:[\w.-]+\/)*[\w-][\w.-]*\.[a-z]{2,4})`?\]\((?!https?:|mailto:|#)([^)#\s]+)(?:#[^)]*)?\)/g;

const pages: readonly string[] = PAGES;

describe('the documentation', () => {
  it.each(pages)('given %s, when its links to files are followed, then each file exists', (page) => {
    const targets = [...readFileSync(path.join(root, page), 'utf8').matchAll(LINK)].map(([, target = '']) => target);
    const missing = targets.filter((target) => !existsSync(path.join(root, path.dirname(page), target)));
    expect(missing).toEqual([]);
  });

  it.each(pages)('given %s, when a link is named after a file, then it leads to that file', (page) => {
    const links = [...readFileSync(path.join(root, page), 'utf8').matchAll(NAMED_FILE)];
    const misnamed = links.filter(([, name = '', target = '']) => {
      const file = path.posix.join('/', path.posix.dirname(page), target);
      return !file.endsWith(`/${name}`);
    });
    expect(misnamed.map(([link]) => link)).toEqual([]);
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
