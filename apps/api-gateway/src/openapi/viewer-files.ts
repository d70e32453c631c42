import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { KeptContents } from './kept-contents.js';

const PACKAGE = 'swagger-ui-dist';
const TYPES: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};

/** The files of the viewer, which stand under its version so that a browser may keep them for good. */
export class ViewerFiles {
  readonly version: string;
  readonly #folder: string;
  readonly #contents = new KeptContents();

  /** Finds the installed viewer. Throws when it is not installed. */
  constructor() {
    const manifest = createRequire(import.meta.url).resolve(`${PACKAGE}/package.json`);
    this.version = (JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string }).version;
    this.#folder = path.dirname(manifest);
  }

  /** Null for whatever is not one of the few files that the page needs. */
  find(version: string, name: string) {
    if (version !== this.version || !Object.hasOwn(TYPES, name)) return null;
    const content = this.#contents.of(name, () => readFile(path.join(this.#folder, name)));
    return { content, contentType: TYPES[name] ?? '' };
  }
}
