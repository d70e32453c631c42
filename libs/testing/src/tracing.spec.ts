import { eventually } from './eventually.js';
import { startOtlpCollector } from './otlp-collector.js';

import { isTracing, startTracing, traced, traceparent, beginSpan } from '@settle/observability';

const CALLER = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

function logger() {
  const lines: string[] = [];
  const log = (_fields: unknown, text?: string) => void lines.push(text ?? String(_fields));
  return { lines, warn: log, info: log } as { lines: string[]; warn: never; info: never };
}

describe('tracing', () => {
  beforeAll(() => {
    process.env['OTEL_TRACES_SAMPLER'] = 'parentbased_always_on';
  });
  afterAll(() => {
    delete process.env['OTEL_TRACES_SAMPLER'];
  });

  it('given no collector, when work is done, then it is just done', async () => {
    expect(isTracing()).toBe(false);
    expect(await traced('work', { kind: 'internal' }, async () => traceparent() ?? 'nothing')).toBe('nothing');
    expect(beginSpan('work', { kind: 'internal' })).toBeNull();
  });

  it('given a collector, when work is within work of a caller, then it is told of all as one trace', async () => {
    const collector = await startOtlpCollector();
    const stop = await startTracing({ endpoint: `${collector.endpoint}/`, service: 'spec', logger: logger() });
    const outer = { kind: 'server', parent: CALLER, attributes: { 'http.route': '/v1/me' } } as const;
    const told = await traced('outer', outer, () =>
      traced('inner', { kind: 'client' }, async () => {
        beginSpan('innermost', { kind: 'internal' })?.end();
        return traceparent();
      }),
    );
    const refusal = Object.assign(new Error('what alice@example.com wrote'), { code: 'not_permitted' });
    await expect(traced('alone', { kind: 'internal' }, () => Promise.reject(refusal))).rejects.toBe(refusal);
    await stop();
    const { spans } = collector;
    const named = (name: string) => spans.find((span) => span.name === name)!;
    expect(spans).toHaveLength(4);
    expect(new Set(['outer', 'inner', 'innermost'].map((name) => named(name).traceId))).toEqual(
      new Set(['0af7651916cd43dd8448eb211c80319c']),
    );
    expect(named('outer')).toMatchObject({ service: 'spec', parentSpanId: 'b7ad6b7169203331' });
    expect(named('outer').attributes).toEqual({ 'http.route': '/v1/me' });
    expect(named('inner').parentSpanId).toBe(named('outer').spanId);
    expect(named('innermost').parentSpanId).toBe(named('inner').spanId);
    expect(told).toBe(`00-${named('inner').traceId}-${named('inner').spanId}-01`);
    expect(named('alone')).toMatchObject({ parentSpanId: '', attributes: { 'error.type': 'not_permitted' } });
    expect(JSON.stringify(spans)).not.toContain('alice');
    expect(isTracing()).toBe(false);
    await collector.close();
  });

  it.each(['not a trace', `${CALLER}-and-more`, '00-00000000000000000000000000000000-b7ad6b7169203331-01', ''])(
    'given the traceparent "%s", when a span begins, then it begins a trace of its own',
    async (parent) => {
      const collector = await startOtlpCollector();
      const stop = await startTracing({ endpoint: collector.endpoint, service: 'spec', logger: logger() });
      beginSpan('work', { kind: 'server', parent })?.end();
      await stop();
      expect(collector.spans).toMatchObject([{ parentSpanId: '' }]);
      await collector.close();
    },
  );

  it('given a caller who keeps no trace, when work is done, then nothing is told of it', async () => {
    const collector = await startOtlpCollector();
    const stop = await startTracing({ endpoint: collector.endpoint, service: 'spec', logger: logger() });
    const notKept = { kind: 'server', parent: CALLER.replace(/01$/, '00') } as const;
    expect(await traced('work', notKept, async () => 'done')).toBe('done');
    await stop();
    expect(collector.spans).toEqual([]);
    await collector.close();
  });

  it('given a collector that is away, when spans end, then nobody waits and one line says so', async () => {
    const collector = await startOtlpCollector();
    await collector.close();
    const log = logger();
    const stop = await startTracing({ endpoint: collector.endpoint, service: 'spec', logger: log });
    const beganAtMs = performance.now();
    for (let index = 0; index < 1_000; index += 1) await traced('work', { kind: 'internal' }, async () => index);
    expect(performance.now() - beganAtMs).toBeLessThan(1_000);
    await eventually(() => expect(log.lines).toHaveLength(1), { timeoutMs: 10_000 });
    for (let index = 0; index < 1_000; index += 1) await traced('work', { kind: 'internal' }, async () => index);
    await stop();
    expect(log.lines).toEqual(['traces are not taken by the collector and are dropped']);
  });
});
