import { projectsOn } from '../jest.config.mjs';
import { planWalk } from './test-parts.mjs';

const WALK = '/apps/e2e/src/walk.e2e.spec.ts';

/** The parts of a Jest project that the spec reads. */
interface Project {
  readonly displayName: string;
  readonly testPathIgnorePatterns?: readonly string[];
}

/** Those of jest's projects over HTTP that leave out the walk through the pages. */
function projectsWithoutWalk(hasChromium: boolean): string[] {
  const projects: readonly Project[] = projectsOn({ hasChromium });
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
    expect(error).toMatch(/apt-get install chromium\): the walk through the pages needs it$/);
  });
});
