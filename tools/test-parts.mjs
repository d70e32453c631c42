/**
 * Plans the walk through the pages, which needs Chromium.
 * @returns `leftOut`, the last line of a run without it, or `error`, which ends a run of CI; both null when it runs
 */
export function planWalk({ hasChromium, isCi }) {
  if (hasChromium) return { leftOut: null, error: null };
  return planWithout(
    'the walk through the pages',
    'Chromium is not installed (Debian: apt-get install chromium)',
    isCi,
  );
}

/** Plans the tests of the alarms, which need promtool. @returns as `planWalk` */
export function planAlarmTests({ hasPromtool, isCi }) {
  if (hasPromtool) return { leftOut: null, error: null };
  return planWithout('the tests of the alarms', 'promtool is not installed (Debian: apt-get install prometheus)', isCi);
}

/**
 * Plans the tests of the Helm chart, which need Helm, kubernetes-validate and the schemas of custom resources. Left out in CI as
 * well, where their sources may be out of reach. @returns as `planWalk`
 */
export function planChartTests({ hasHelm }) {
  if (hasHelm) return { leftOut: null, error: null };
  return planWithout(
    'the tests of the Helm chart',
    'helm, kubernetes-validate or a schema of custom resources is not installed (see .ci/run)',
    false,
  );
}

/**
 * Plans the specs of the Python client. Left out in CI as well: the product must be testable where the index of Python
 * packages is out of reach. @param reason why they cannot run, or null @returns as `planWalk`
 */
export function planPythonClient({ reason }) {
  if (reason === null) return { leftOut: null, error: null };
  return planWithout('the specs of the Python client', reason, false);
}

/** Plans the specs of the recipes for analysts, as those of the Python client. @param reason why they cannot run, or null @returns as `planWalk` */
export function planRecipes({ reason }) {
  if (reason === null) return { leftOut: null, error: null };
  return planWithout('the specs of the recipes for analysts', reason, false);
}

/**
 * Plans the specs that follow the quickstarts in Go and with curl.
 * @param missing those of the two programs that are not installed
 * @returns as `planWalk`
 */
export function planQuickstarts({ missing, isCi }) {
  if (missing.length === 0) return { leftOut: null, error: null };
  const names = missing.join(' and ');
  const reason = `Not installed: ${names} (Debian: apt-get install golang-go curl)`;
  return planWithout(`the quickstarts with ${names}`, reason, isCi);
}

/** Plans the verification of the units by systemd, which not every system has. @returns as `planWalk` */
export function planUnitVerification({ hasSystemd }) {
  if (hasSystemd) return { leftOut: null, error: null };
  return planWithout('the verification of units by systemd', 'systemd-analyze is not installed', false);
}

/** Plans the drill on a full disk. @returns as `planWalk` */
export function planFullDisk({ canMount }) {
  if (canMount) return { leftOut: null, error: null };
  return planWithout('the drill on a full disk', 'no small disk can be mounted, for which Linux wants root', false);
}

/** Plans the specs of a real server's projections, which the stand-in does not have. @returns as `planWalk` */
export function planServerSpecs({ hasServer }) {
  if (hasServer) return { leftOut: null, error: null };
  return planWithout("the specs of EventStoreDB's projections", 'EVENTSTORE_URL names no server', false);
}

/** Plans the second run, on the stack, of specs whose outcome is the same in every shape. @returns as `planWalk` */
export function planShapes({ isEveryShape }) {
  if (isEveryShape) return { leftOut: null, error: null };
  return planWithout(
    'on the stack, specs with the same outcome in every shape',
    'npm test -- --every-shape runs them there as well, as each night does; jest.config.mjs names them',
    false,
  );
}

function planWithout(part, reason, isCi) {
  if (isCi) return { leftOut: null, error: `${reason}, which is needed for ${part}` };
  return { leftOut: `Left out: ${part}. ${reason}`, error: null };
}
