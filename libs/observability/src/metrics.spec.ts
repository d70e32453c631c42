import { LIMITS } from '@settle/config';
import { METRICS, Metrics, createLogger, keptFor, metricsMarkdown } from './index.js';
import { readBuildInfo } from './build-info.js';

const linesOf = async (metrics: Metrics, name: string) =>
  (await metrics.text()).split('\n').filter((line) => line.startsWith(name));

describe('the metrics of a process', () => {
  it('given no part at all, when looked at, then the process and its event loop are shown', async () => {
    const page = await new Metrics().text();
    expect(page).toMatch(/^process_cpu_seconds_total \d/m);
    expect(page).toMatch(/^nodejs_eventloop_lag_p99_seconds \d/m);
    const { version, commit, node } = readBuildInfo();
    expect(page).toContain(`settle_build_info{version="${version}",commit="${commit}",node="${node}"} 1\n`);
  });

  it('given two parts that show the same, when looked at, then each is shown under its labels, as it is now', async () => {
    const metrics = new Metrics();
    let waiting = 1;
    metrics.register('poolWaiting', () => [[{ pool: 'a' }, waiting]]);
    metrics.register('poolWaiting', () => Promise.resolve([[{ pool: 'b' }, 7]]));
    waiting = 2;
    expect(await linesOf(metrics, 'settle_pg')).toEqual([
      'settle_pg_pool_waiting{pool="a"} 2',
      'settle_pg_pool_waiting{pool="b"} 7',
    ]);
  });

  it.each([
    ['fails', () => Promise.reject(new Error('away'))],
    ['throws at once', () => JSON.parse('') as number],
    ['has nothing', () => null],
    ['never answers', () => new Promise<number>(() => undefined)],
  ])('given a reading that %s, when looked at, then it alone is missing', async (_what, read) => {
    const metrics = new Metrics();
    metrics.register('outboxRows', read);
    metrics.register('kafkaRecordsWaiting', () => 3);
    const startedAtMs = performance.now();
    expect((await linesOf(metrics, 'settle_')).slice(1)).toEqual(['settle_kafka_records_waiting 3']);
    expect(performance.now() - startedAtMs).toBeLessThan(LIMITS.metrics.readingWaitMs + 15_000);
  });

  it('given durations, when looked at, then buckets count all that is not above, beside sum and count', async () => {
    const metrics = new Metrics();
    const ok = metrics.latencies('busRequestSeconds').of('asked', 'payments.create', 'ok');
    for (const seconds of [0.0005, 0.003, 0.003, 20]) ok.observe(seconds);
    metrics.latencies('busRequestSeconds').of('asked', 'payments.create', 'failed').observe(1);
    const lines = await linesOf(metrics, 'settle_bus_request_duration_seconds');
    const labels = 'side="asked",pattern="payments.create",outcome="ok"';
    const bucket = (le: string, count: number) =>
      `settle_bus_request_duration_seconds_bucket{${labels},le="${le}"} ${count}`;
    expect(lines).toEqual(
      expect.arrayContaining([
        bucket('0.0005', 1),
        bucket('0.0025', 1),
        bucket('0.005', 3),
        bucket('10', 3),
        bucket('+Inf', 4),
      ]),
    );
    expect(lines).toContain(`settle_bus_request_duration_seconds_sum{${labels}} 20.0065`);
    expect(lines).toContain(`settle_bus_request_duration_seconds_count{${labels}} 4`);
    expect(lines).toHaveLength(2 * 17);
  });

  it('given a logger, when it logs, then what tells of something wrong is counted, children included', async () => {
    const metrics = new Metrics();
    const logger = createLogger({ level: 'info', service: 'spec', metrics, stream: { write: () => undefined } });
    logger.info('fine');
    logger.warn('odd');
    logger.child({ part: 'x' }).error({ err: new Error('x') }, 'broken');
    expect(await linesOf(metrics, 'settle_log')).toEqual([
      'settle_log_lines_total{level="warn"} 1',
      'settle_log_lines_total{level="error"} 1',
      'settle_log_lines_total{level="fatal"} 0',
    ]);
  });
});

describe('keptFor', () => {
  it('given a costly reading, when looked at often, then it is asked once in a while, and never twice at once', async () => {
    let nowMs = 0;
    const answers: ((value: number) => void)[] = [];
    const read = keptFor(
      100,
      () => new Promise((resolve) => answers.push(resolve)),
      () => nowMs,
    );
    const looks = [read(), read()];
    nowMs = 100;
    looks.push(read());
    answers[0]?.(5);
    expect(await Promise.all(looks)).toEqual([5, 5, 5]);
    void read();
    expect(answers).toHaveLength(2);
  });
});

describe('the table of metrics', () => {
  it('given each, when its name is read, then it has our prefix, and the ending of its type and unit', () => {
    for (const { name, type } of Object.values(METRICS)) {
      expect(name).toMatch(/^settle_[a-z_]+$/);
      expect(name.endsWith('_total')).toBe(type === 'counter');
      if (type === 'histogram') expect(name).toMatch(/_seconds$/);
      expect(metricsMarkdown()).toContain(`| \`${name}\` |`);
    }
  });
});
