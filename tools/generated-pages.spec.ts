import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { generatedPages } from './generated-pages.mjs';
import { brokenReleases } from './released-schemas.mjs';

const root = path.dirname(import.meta.dirname);

const pages = await generatedPages();

describe('generated pages', () => {
  // Shows error-4
  it.each(pages)(
    'given the code, when $path is read, then it is up to date (else: tools/generate.mjs)',
    async (page) => {
      await expect(readFile(path.join(root, page.path), 'utf8')).resolves.toBe(page.text);
    },
  );
});

describe('the released schemas of public events', () => {
  it('given each released schema, when the code is compared with it, then no change breaks its consumers', () => {
    expect(brokenReleases()).toEqual([]);
  });
});
