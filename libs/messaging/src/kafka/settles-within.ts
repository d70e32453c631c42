/** Waits for work for at most `waitMs`, whether it succeeds or not. Resolves with true if it ended in time. */
export async function settlesWithin(waitMs: number, work: Promise<unknown> | null): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), Math.max(0, waitMs))));
  const isDone = await Promise.race([Promise.resolve(work).then(isTrue, isTrue), timeUp]);
  clearTimeout(timer);
  return isDone;
}

function isTrue(): boolean {
  return true;
}
