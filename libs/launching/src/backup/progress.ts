import { LIMITS } from '@settle/config';

/** Returns a function that reports the progress of long work, at intervals. */
export function progress(what: string, say: (line: string) => void): (doneBytes: number, totalBytes: number) => void {
  let saidAtMs = performance.now();
  return (doneBytes, totalBytes) => {
    if (performance.now() - saidAtMs < LIMITS.backup.progressEveryMs) return;
    saidAtMs = performance.now();
    say(`${what}: ${sizeText(doneBytes)} of ${sizeText(totalBytes)}`);
  };
}

/** Returns a size such as `12.3 MB`. */
export function sizeText(bytes: number): string {
  const isLarge = bytes >= 1e9;
  return `${(bytes / (isLarge ? 1e9 : 1e6)).toFixed(1)} ${isLarge ? 'GB' : 'MB'}`;
}
