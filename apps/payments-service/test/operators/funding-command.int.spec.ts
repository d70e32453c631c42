import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { NOON_US, ReconcileLab, statementOf, timeOf } from './statement.fixture.js';
import { runCommandProcess } from './command-process.fixture.js';

describe('the funding command as a process', () => {
  let lab: ReconcileLab;
  beforeEach(async () => (lab = await ReconcileLab.open()));
  afterEach(() => lab.close());

  it('given no file, or no role of the migrations, when the command runs, then one line says so and the exit code is 2', async () => {
    const urls = { DATABASE_URL: lab.database.url, MIGRATIONS_DATABASE_URL: lab.migrationsUrl };
    expect(await run(['reconcile', lab.path('none.csv')], urls)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^funding: ENOENT: [^\n]*\n$/),
    });
    expect(await run(['reconcile', lab.path('none.csv')], { DATABASE_URL: urls.DATABASE_URL })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^funding: MIGRATIONS_DATABASE_URL: [^\n]*\n$/),
    });
  });

  it('given 200,000 rows, when the command runs with a heap far below their size, then it compares all of them', async () => {
    const [file, report, rows] = [lab.path('large.csv'), lab.path('large-report.csv'), 200_000];
    // Rows of this length are larger together than the heap.
    const tail = 'k'.repeat(80);
    const line = (row: number) => `${row}-${tail},${tail},charge,1,approved,${timeOf(NOON_US)}\n`;
    function* pages(): Generator<string> {
      yield statementOf([], rows);
      for (let row = 0; row < rows; row += 1_000) {
        yield Array.from({ length: 1_000 }, (_, at) => line(row + at)).join('');
      }
    }
    await pipeline(Readable.from(pages()), createWriteStream(file));
    expect((await stat(file)).size).toBeGreaterThan(40_000_000);
    const env = { DATABASE_URL: lab.database.url, MIGRATIONS_DATABASE_URL: lab.migrationsUrl };
    const { code, stdout, stderr } = await run(['reconcile', file, '--report', report], {
      ...env,
      NODE_OPTIONS: '--max-old-space-size=96',
    });
    expect([stderr, code]).toEqual(['', 1]);
    expect(stdout).toContain('missing here: 199980 more');
    expect(stdout).toMatch(/^missing here: 200000$/m);
    expect((await stat(report)).size).toBeGreaterThan(40_000_000);
  }, 120_000);

  it('given nothing that waits, when "pending" runs as a process, then it says so', async () => {
    const ended = await run(['pending'], { DATABASE_URL: lab.database.url });
    expect(ended).toEqual({ code: 0, stdout: 'Nothing waits\n', stderr: '' });
    const unknown = await run(['deposit', '--user', 'x'], { DATABASE_URL: lab.database.url });
    expect(unknown).toEqual({ code: 2, stdout: '', stderr: 'funding: --amount: it is needed here\n' });
  });

  const run = (args: readonly string[], env: Readonly<Record<string, string>>) =>
    runCommandProcess('funding-command.js', args, env);
});
