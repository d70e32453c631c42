import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { LIMITS } from './index.js';

const ROOT = resolve(import.meta.dirname, '../../..');
const OWN_OR_SPEC = /(\.spec|\.fixture|config\/src\/([a-z-]+-)?limits)\.ts$/;
/** These reach the event stores under other names, as `EVENT_STORE_LIMITS` and as parameters. */
const OF_EVENT_STORES = new Set(['eventStore', 'eventStoreDb']);
const EVENT_STORES = join(ROOT, 'libs/event-store/src');

interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly words: ReadonlySet<string>;
}

function sources(): SourceFile[] {
  const projects = ['apps', 'libs'].flatMap((place) => readdirSync(join(ROOT, place)).map((name) => join(place, name)));
  const folders = projects.map((project) => join(ROOT, project, 'src')).filter((folder) => existsSync(folder));
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
  );
  return files
    .filter((path) => path.endsWith('.ts') && !OWN_OR_SPEC.test(path))
    .map((path) => {
      const text = readFileSync(path, 'utf8');
      return { path, text, words: new Set(text.match(/\w+/g) ?? []) };
    });
}

/** Whether a file reads limits of a section: `LIMITS.kafka`, or `kafka` of `const { kafka } = LIMITS`. */
function readsSection({ path, text }: SourceFile, section: string): boolean {
  if (OF_EVENT_STORES.has(section) && path.startsWith(EVENT_STORES)) return true;
  return new RegExp(`\\bLIMITS\\.${section}\\b|\\{[^{}]*\\b${section}\\b[^{}]*\\} = LIMITS;`).test(text);
}

describe('the limits', () => {
  it('given each of them, when its name is looked for in the files that read its section, then one of them names it', () => {
    const files = sources();
    const unused = Object.entries(LIMITS).flatMap(([section, limits]) => {
      const readers = files.filter((file) => readsSection(file, section));
      const names = Object.keys(limits).filter((name) => !readers.some(({ words }) => words.has(name)));
      return names.map((name) => `${section}.${name}`);
    });
    expect(unused).toEqual([]);
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
