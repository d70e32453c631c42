import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';

interface Workflow {
  readonly on: { readonly schedule?: readonly { readonly cron: string }[] };
  readonly jobs: Readonly<
    Record<string, { readonly if?: string; readonly steps: readonly { readonly run?: string }[] }>
  >;
}

const file = path.join(path.dirname(import.meta.dirname), '.github/workflows/ci.yml');

describe('the CI workflow', () => {
  it('given its schedule, when a night passes, then Schemathesis tests the API, every spec runs in every shape and the contract suites on each server version', () => {
    const { on, jobs } = parse(readFileSync(file, 'utf8')) as Workflow;
    expect(on.schedule).toEqual([{ cron: expect.stringMatching(/^\d+ \d+ \* \* \*$/) }]);
    const nightly = Object.values(jobs).filter((job) => job.if === "github.event_name == 'schedule'");
    const commands = nightly.flatMap(({ steps }) => steps.map(({ run }) => run));
    expect(commands).toEqual(
      expect.arrayContaining([
        ...['pip install -r tools/schemathesis/requirements.txt', 'npm run test:schemathesis'],
        'npm test -- --every-shape --selectProjects e2e-stack e2e-eventstoredb',
        'npm run test:versions',
      ]),
    );
  });
});
