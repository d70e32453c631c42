/**
 * Plans the walk through the pages, which needs Chromium.
 * @returns `leftOut`, the last line of a run without it, or `error`, which ends a run of CI; both null when it runs
 */
export function planWalk({ hasChromium, isCi }) {
  if (hasChromium) return { leftOut: null, error: null };
  const what = 'Chromium is not installed (Debian: apt-get install chromium)';
  if (isCi) return { leftOut: null, error: `${what}: the walk through the pages needs it` };
  return { leftOut: `Left out: the walk through the pages. ${what}`, error: null };
}
