import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { generatedPages } from './generated-pages.mjs';

const root = path.dirname(import.meta.dirname);

describe('generated pages', () => {
  it.each(generatedPages())(
    'given the code, when $path is read, then it says the same (else: tools/generate.mjs)',
    async (page) => {
      await expect(readFile(path.join(root, page.path), 'utf8')).resolves.toBe(page.text);
    },
  );
});
