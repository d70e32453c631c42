import { readFileSync } from 'node:fs';

/** The files from which values were read, so that they can be read again. */
const fileOf = new Map<string, { readonly file: string; readonly isUsable: (text: string) => boolean }>();

/** Returns the content of a file without white space around it. Errors: those of the file system. */
export function readSecretFile(file: string): string {
  return readFileSync(file, 'utf8').trim();
}

/** Remembers that `value` was read from `file`, for `newestSecret`. */
export function rememberSecretFile(value: string, file: string, isUsable: (text: string) => boolean): void {
  fileOf.set(value, { file, isUsable });
}

/**
 * Returns the current content of the file from which a setting was read at the start. Returns `value` if there was no
 * file, or if the file cannot be used because it is being written. Called before each new connection, or at each use of a
 * secret that no connection keeps, so that it can be changed without a restart.
 */
export function newestSecret(value: string): string {
  const kept = fileOf.get(value);
  if (kept === undefined) return value;
  try {
    const text = readSecretFile(kept.file);
    return kept.isUsable(text) ? text : value;
  } catch {
    return value;
  }
}
