import { LIMITS } from '@settle/config';

/** Reports how far a long work has come, now and then. */
export function progress(what: string, say: (line: string) => void): (doneBytes: number, totalBytes: number) => void {
  let saidAtMs = performance.now();
  return (doneBytes, totalBytes) => {
    if (performance.now() - saidAtMs < LIMITS.backup.progressEveryMs) return;
    saidAtMs = performance.now();
    say(`${what}: ${sizeText(doneBytes)} of ${sizeText(totalBytes)}`);
  };
}

/** Such as `12.3 MB`. */
export function sizeText(bytes: number): string {
  const isLarge = bytes >= 1e9;
  return `${(bytes / (isLarge ? 1e9 : 1e6)).toFixed(1)} ${isLarge ? 'GB' : 'MB'}`;
}
