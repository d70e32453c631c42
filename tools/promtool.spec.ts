import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { DASHBOARDS } from '@settle/observability';
import { stringify } from 'yaml';

const run = promisify(execFile);
const rules = path.join(path.dirname(import.meta.dirname), 'deploy/prometheus');

const promtool = (...parameters: readonly string[]) => run('promtool', parameters, { timeout: 60_000 });

/** The queries of all dashboards as a file of rules, since promtool reads no dashboards. */
const dashboardRules = {
  groups: DASHBOARDS.map(({ name, rows }) => ({
    name,
    rules: rows
      .flatMap(({ panels }) => panels)
      .flatMap(({ queries }) => queries)
      .map(({ expr }, at) => ({
        record: `${name.replaceAll('-', '_')}:query${at}`,
        expr: expr.replaceAll('$__rate_interval', '1m'),
      })),
  })),
};

// On a machine without promtool, which comes with Prometheus, npm test leaves this file out and says so.
describe('the alarms, as promtool reads them', () => {
  it('given the rules, when they are checked, then Prometheus accepts each', async () => {
    const { stdout } = await promtool('check', 'rules', path.join(rules, 'settle.rules.yaml'));
    expect(stdout).toMatch(/SUCCESS: \d+ rules found/);
  });

  it('given an hour of numbers for each alarm, when the rules are evaluated, then it fires or stays quiet as its row says', async () => {
    const { stdout } = await promtool('test', 'rules', path.join(rules, 'tests/settle.test.yaml'));
    expect(stdout).toContain('SUCCESS');
  });

  it('given the queries of the dashboards, when they are checked, then Prometheus accepts each', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'settle-queries-'));
    try {
      const file = path.join(folder, 'queries.yaml');
      await writeFile(file, stringify(dashboardRules));
      const { stdout } = await promtool('check', 'rules', file);
      expect(stdout).toMatch(/SUCCESS: \d+ rules found/);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
