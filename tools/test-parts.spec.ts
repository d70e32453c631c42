import { projectsOn } from '../jest.config.mjs';
import {
  planAlarmTests,
  planChartTests,
  planFullDisk,
  planPythonClient,
  planQuickstarts,
  planRecipes,
  planServerSpecs,
  planShapes,
  planUnitVerification,
  planWalk,
} from './test-parts.mjs';

const WALK = '/apps/e2e/src/walk.e2e.spec.ts';

/** The parts of a Jest project that the spec reads. */
interface Project {
  readonly displayName: string;
  readonly testPathIgnorePatterns?: readonly string[];
}

/** Those of jest's projects over HTTP that leave out the walk through the pages. */
function projectsWithoutWalk(hasChromium: boolean): string[] {
  const projects: readonly Project[] = projectsOn(hasChromium ? [] : ['chromium']);
  return projects
    .filter(({ displayName }) => ['e2e', 'e2e-stack'].includes(displayName))
    .filter(({ testPathIgnorePatterns: patterns = [] }) => patterns.some((pattern) => new RegExp(pattern).test(WALK)))
    .map(({ displayName }) => displayName);
}

describe('the Chromium specs in a run of all specs', () => {
  it.each([true, false])('given Chromium, when specs run and CI is %p, then nothing is left out', (isCi) => {
    expect(planWalk({ hasChromium: true, isCi })).toEqual({ leftOut: null, error: null });
    expect(projectsWithoutWalk(true)).toEqual([]);
  });

  it('given no Chromium, when specs run, then the Chromium specs are left out, and the last line says so and what to install', () => {
    const { leftOut, error } = planWalk({ hasChromium: false, isCi: false });
    expect(leftOut).toMatch(/^Left out: the walk through the pages\. .*apt-get install chromium/);
    expect(error).toBeNull();
    expect(projectsWithoutWalk(false)).toEqual(['e2e', 'e2e-stack']);
  });

  it('given no Chromium, when specs run with CI=true, then it is an error that says what to install', () => {
    const { leftOut, error } = planWalk({ hasChromium: false, isCi: true });
    expect(leftOut).toBeNull();
    expect(error).toMatch(/apt-get install chromium\), which is needed for the walk through the pages$/);
  });
});

describe('the tests of the Helm chart in a run of all specs', () => {
  it.each([true, false])('given Helm is %s, when specs run, then they run or the last line says so', (hasHelm) => {
    const { leftOut, error } = planChartTests({ hasHelm });
    expect([leftOut?.startsWith('Left out: the tests of the Helm chart.'), error]).toEqual([
      hasHelm ? undefined : true,
      null,
    ]);
    const projects: readonly Project[] = projectsOn(hasHelm ? [] : ['helm']);
    for (const [name, file] of [
      ['pure', '/tools/helm-chart.spec.ts'],
      ['int', '/tools/helm-chart.int.spec.ts'],
      ['kafka', '/tools/helm-chart.kafka.spec.ts'],
    ] as const) {
      const patterns = projects.find(({ displayName }) => displayName === name)?.testPathIgnorePatterns ?? [];
      expect(patterns.some((pattern) => new RegExp(pattern).test(file))).toBe(!hasHelm);
    }
  });
});

describe('the specs of the recipes for analysts in a run of all specs', () => {
  it.each([null, 'pip failed'])('given an environment or %p, when specs run, then they run with it alone', (reason) => {
    const { leftOut, error } = planRecipes({ reason });
    expect([leftOut, error]).toEqual([
      reason === null ? null : 'Left out: the specs of the recipes for analysts. pip failed',
      null,
    ]);
    const projects: readonly Project[] = projectsOn(reason === null ? [] : ['packages of docs/analytics']);
    for (const [name, file] of [
      ['pure', '/tools/analytics.spec.ts'],
      ['kafka', '/apps/payments-service/test/public-events/analytics-recipes.kafka.spec.ts'],
      ['e2e-stack', '/apps/e2e/src/guide-analytics.stack.e2e.spec.ts'],
    ] as const) {
      const patterns = projects.find(({ displayName }) => displayName === name)?.testPathIgnorePatterns ?? [];
      expect(patterns.some((pattern) => new RegExp(pattern).test(file))).toBe(reason !== null);
    }
  });
});

describe("the specs of a server's projections in a run of all specs", () => {
  it.each([true, false])('given a server: %p, when specs run, then they run with it alone', (hasServer) => {
    const { leftOut, error } = planServerSpecs({ hasServer });
    expect([leftOut?.startsWith("Left out: the specs of EventStoreDB's projections."), error]).toEqual([
      hasServer ? undefined : true,
      null,
    ]);
    const projects: readonly Project[] = projectsOn(hasServer ? [] : ['EVENTSTORE_URL']);
    const patterns = projects.find(({ displayName }) => displayName === 'int')?.testPathIgnorePatterns ?? [];
    const file = '/libs/event-store/src/eventstoredb-projections.int.spec.ts';
    expect(patterns.some((pattern) => new RegExp(pattern).test(file))).toBe(!hasServer);
  });
});

describe('the tests of the alarms in a run of all specs', () => {
  const patterns = (hasPromtool: boolean) => {
    const projects: readonly Project[] = projectsOn(hasPromtool ? [] : ['promtool']);
    return projects.find(({ displayName }) => displayName === 'pure')?.testPathIgnorePatterns ?? [];
  };
  const areLeftOut = (hasPromtool: boolean) =>
    patterns(hasPromtool).some((pattern) => new RegExp(pattern).test('/tools/promtool.spec.ts'));

  it('given promtool, when specs run, then nothing is left out', () => {
    expect(planAlarmTests({ hasPromtool: true, isCi: true })).toEqual({ leftOut: null, error: null });
    expect(areLeftOut(true)).toBe(false);
  });

  it('given no promtool, when specs run, then they are left out, and the last line says so and what to install', () => {
    const { leftOut, error } = planAlarmTests({ hasPromtool: false, isCi: false });
    expect(leftOut).toMatch(/^Left out: the tests of the alarms\. .*apt-get install prometheus/);
    expect(error).toBeNull();
    expect(areLeftOut(false)).toBe(true);
  });

  it('given no promtool, when specs run with CI=true, then it is an error', () => {
    expect(planAlarmTests({ hasPromtool: false, isCi: true }).error).toMatch(/needed for the tests of the alarms$/);
  });
});

describe('the specs of the Python client in a run of all specs', () => {
  const leftOutOn = (hasPython: boolean) => {
    const projects: readonly Project[] = projectsOn(hasPython ? [] : ['python']);
    return projects.flatMap(({ displayName, testPathIgnorePatterns: patterns = [] }) => {
      const spec = displayName === 'pure' ? '/tools/python-client.spec.ts' : '/apps/e2e/src/sdk-python.e2e.spec.ts';
      return patterns.some((pattern) => new RegExp(pattern).test(spec)) ? [displayName] : [];
    });
  };

  it('given Python, when specs run, then nothing is left out', () => {
    expect(planPythonClient({ reason: null })).toEqual({ leftOut: null, error: null });
    // Where events are stored makes no difference to clients.
    expect(leftOutOn(true)).toEqual(['e2e-eventstoredb']);
  });

  it('given no Python, when specs run, then they are left out, and the last line says why', () => {
    const { leftOut, error } = planPythonClient({ reason: 'Python is not installed' });
    expect(leftOut).toBe('Left out: the specs of the Python client. Python is not installed');
    expect(error).toBeNull();
    expect(leftOutOn(false)).toEqual(['pure', 'e2e', 'e2e-stack', 'e2e-eventstoredb']);
  });
});

describe('the quickstarts in a run of all specs', () => {
  const leftOutWithout = (missing: readonly string[]) => {
    const projects: readonly Project[] = projectsOn(missing);
    const patterns = projects.find(({ displayName }) => displayName === 'e2e')?.testPathIgnorePatterns ?? [];
    const spec = (program: string) => `/apps/e2e/src/guide-${program}.e2e.spec.ts`;
    return ['go', 'curl'].filter((program) => patterns.some((pattern) => new RegExp(pattern).test(spec(program))));
  };

  it('given Go and curl, when specs run, then nothing is left out', () => {
    expect(planQuickstarts({ missing: [], isCi: true })).toEqual({ leftOut: null, error: null });
    expect(leftOutWithout([])).toEqual([]);
  });

  it('given no Go, when specs run, then its quickstart is left out, and the last line says so and what to install', () => {
    const { leftOut, error } = planQuickstarts({ missing: ['go'], isCi: false });
    expect(leftOut).toMatch(/^Left out: the quickstarts with go\. .*apt-get install golang-go/);
    expect(error).toBeNull();
    expect(leftOutWithout(['go'])).toEqual(['go']);
  });

  it('given neither, when specs run with CI=true, then it is an error', () => {
    const { error } = planQuickstarts({ missing: ['go', 'curl'], isCi: true });
    expect(error).toMatch(/needed for the quickstarts with go and curl$/);
    expect(leftOutWithout(['go', 'curl'])).toEqual(['go', 'curl']);
  });
});

describe('the parts that not every system can run, in a run of all specs', () => {
  it.each([
    ['systemd-analyze', 'pure', '/tools/systemd-analyze.spec.ts', planUnitVerification({ hasSystemd: false })],
    ['a small disk', 'restore', '/apps/e2e/src/restore/disk-full.restore.spec.ts', planFullDisk({ canMount: false })],
  ])(
    'given no %s, when specs run, then its part is left out, and the last line says so',
    (name, project, file, plan) => {
      const isLeftOut = (missing: readonly string[]) => {
        const projects: readonly Project[] = projectsOn(missing);
        const patterns = projects.find(({ displayName }) => displayName === project)?.testPathIgnorePatterns ?? [];
        return patterns.some((pattern) => new RegExp(pattern).test(file));
      };
      expect([isLeftOut([name]), isLeftOut([])]).toEqual([true, false]);
      expect(plan).toEqual({ leftOut: expect.stringMatching(/^Left out: /) as string, error: null });
    },
  );
});

describe('specs with the same outcome in every shape', () => {
  it('given a run that leaves them out on the stack, when it ends, then its last lines say so and how they run', () => {
    const { leftOut, error } = planShapes({ isEveryShape: false });
    expect([leftOut, error]).toEqual([expect.stringContaining('--every-shape'), null]);
    expect(planShapes({ isEveryShape: true }).leftOut).toBeNull();
  });

  it('given both kinds of runs, when jest selects files, then the stack has the walk only with every shape', () => {
    const runsWalk = (isEveryShape: boolean) => {
      const projects: readonly Project[] = projectsOn([], isEveryShape);
      const stack = projects.find(({ displayName }) => displayName === 'e2e-stack');
      return !(stack?.testPathIgnorePatterns ?? []).some((pattern) => new RegExp(pattern).test(WALK));
    };
    expect([runsWalk(false), runsWalk(true)]).toEqual([false, true]);
  });
});
