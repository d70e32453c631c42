import { readFileSync } from 'node:fs';

/** Where values came from that were read from files, so that they can be read again. */
const fileOf = new Map<string, { readonly file: string; readonly isUsable: (text: string) => boolean }>();

/** The content of a file without the white space around it. Errors: those of the file system. */
export function readSecretFile(file: string): string {
  return readFileSync(file, 'utf8').trim();
}

/** Remembers that `value` was read from `file`, for `newestSecret`. */
export function rememberSecretFile(value: string, file: string, isUsable: (text: string) => boolean): void {
  fileOf.set(value, { file, isUsable });
}

/**
 * Returns the current content of the file from which a setting was read at the start, or `value` if it came from no file. A file that
 * cannot be read, or is being written, stands for `value`. Read it before each new connection: then a password is
 * changed without a restart.
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
