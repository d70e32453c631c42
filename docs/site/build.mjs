/** Builds the site into `dist/site`. Its pages are copied beside the packages that compile them. */
import { copyFile, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'vitepress';
import { PAGES, PICTURES, root, sitePath } from './pages.mjs';

const copies = path.join(import.meta.dirname, 'dist/pages');

await rm(copies, { recursive: true, force: true });
for (const page of [...PAGES, ...PICTURES]) {
  const copy = path.join(copies, sitePath(page));
  await mkdir(path.dirname(copy), { recursive: true });
  await copyFile(path.join(root, page), copy);
}
await build(import.meta.dirname);
