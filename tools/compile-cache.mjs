/**
 * Keeps compiled code in `node_modules/.cache`, so that only the first start after a change compiles: by `--import`, before
 * the program. Where that folder cannot be written, every start compiles.
 */
import { enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';

/** By then everything that a start needs is loaded. Node writes the rest when the process ends. */
const FLUSH_AFTER_MS = 10_000;

enableCompileCache(join(import.meta.dirname, '..', 'node_modules', '.cache', 'settle-compiled'));
setTimeout(flushCompileCache, FLUSH_AFTER_MS).unref();
