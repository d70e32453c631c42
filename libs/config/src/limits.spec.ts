import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { LIMITS } from './index.js';

const ROOT = resolve(import.meta.dirname, '../../..');
const OWN_OR_SPEC =
  /(\.spec|\.fixture|config\/src\/((client|funding-page|operators|payments|process|stack)-)?limits)\.ts$/;

function sources(): string[] {
  const projects = ['apps', 'libs'].flatMap((place) => readdirSync(join(ROOT, place)).map((name) => join(place, name)));
  const folders = projects.map((project) => join(ROOT, project, 'src')).filter((folder) => existsSync(folder));
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
  );
  return files.filter((path) => path.endsWith('.ts') && !OWN_OR_SPEC.test(path));
}

describe('the limits', () => {
  it('given each of them, when its name is looked for in the sources, then something keeps to it', () => {
    const words = new Set(sources().flatMap((path) => readFileSync(path, 'utf8').match(/\w+/g) ?? []));
    const names = Object.values(LIMITS).flatMap((room) => Object.keys(room));
    expect(names.filter((name) => !words.has(name))).toEqual([]);
  });

  it('given no instance of auth-service, when a page is requested, then the 503 of the stack comes before the gateway gives up', () => {
    // Else a form would be executed once auth-service is back, after its sender got 504.
    expect(LIMITS.stack.pageConnectionWaitMs).toBeLessThanOrEqual(LIMITS.gateway.pageWaitMs / 2);
  });

  it('given a deposit without an answer, when its page reads the list as well, then it responds before the gateway gives up', () => {
    const { usersWaitMs, fundingBeginMs, fundingReadMs } = LIMITS.auth;
    expect(fundingBeginMs).toBeLessThan(usersWaitMs);
    expect(usersWaitMs + fundingReadMs).toBeLessThan(LIMITS.gateway.pageWaitMs);
  });

  it('given more sign-ins than can be hashed in time, when one is refused, then the refusal comes before the gateway gives up', () => {
    expect(LIMITS.auth.hashWaitMs).toBeLessThanOrEqual(LIMITS.gateway.pageWaitMs / 2);
  });
});
