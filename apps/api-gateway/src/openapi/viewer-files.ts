import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const PACKAGE = 'swagger-ui-dist';
const TYPES: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};

/** A file of the viewer on disk. */
export interface ViewerFile {
  readonly file: string;
  readonly contentType: string;
}

/** The files of the viewer, which stand under its version so that a browser may keep them for good. */
export class ViewerFiles {
  readonly version: string;
  readonly #folder: string;

  /** Finds the installed viewer. Throws when it is not installed. */
  constructor() {
    const manifest = createRequire(import.meta.url).resolve(`${PACKAGE}/package.json`);
    this.version = (JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string }).version;
    this.#folder = path.dirname(manifest);
  }

  /** Null for whatever is not one of the few files that the page needs. */
  find(version: string, name: string): ViewerFile | null {
    if (version !== this.version || !Object.hasOwn(TYPES, name)) return null;
    return { file: path.join(this.#folder, name), contentType: TYPES[name] ?? '' };
  }
}
