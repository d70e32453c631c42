import { jest } from '@jest/globals';
import { eventually } from './eventually.js';
import { startOtlpCollector } from './otlp-collector.js';

import { TOPICS, requestContract } from '@settle/contracts';
import { BusServer, InMemoryBus, MessageClient, type RequestEnvelope } from '@settle/messaging';
import { startSpan, startTrace, createLogger, isTracing, startTracing, traced } from '@settle/observability';

const CALLER = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

function logger() {
  const lines: string[] = [];
  const log = (_fields: unknown, text?: string) => void lines.push(text ?? String(_fields));
  return { lines, warn: log, info: log } as { lines: string[]; warn: never; info: never };
}

const described = () => ({ name: 'work', attributes: {} });

/** Serves a handler that returns the traceparent that it received. */
async function serveOverTheBus() {
  const bus = new InMemoryBus({ logger: createLogger({ level: 'silent', service: 'spec' }) });
  const route = { topic: TOPICS.paymentsQueries, pattern: 'spec.ask', check: () => null, limits: undefined } as const;
  const server = new BusServer(bus);
  const handler = async (_payload: object, { traceparent = 'none' }: RequestEnvelope) => ({ traceparent });
  server.addHandler('spec.ask', handler, false, route);
  await new Promise<void>((resolve) => server.listen(() => resolve()));
  const client = new MessageClient(bus);
  const contract = requestContract<object, { traceparent: string }>(route.topic, route.pattern);
  const sendRequest = async (traceparent: string | undefined) =>
    (await client.request(contract, {}, { key: 'k', timeoutMs: 1_000, requestId: 'request', traceparent })).traceparent;
  return { sendRequest, close: () => bus.close() };
}

describe('tracing', () => {
  beforeAll(() => {
    process.env['OTEL_TRACES_SAMPLER'] = 'parentbased_always_on';
  });
  afterAll(() => {
    delete process.env['OTEL_TRACES_SAMPLER'];
  });

  it('given no collector, when work is done, then its result is returned', async () => {
    expect(isTracing()).toBe(false);
    const span = { kind: 'internal', parent: CALLER } as const;
    expect(await traced('work', span, async (traceparent) => traceparent ?? 'nothing')).toBe('nothing');
    expect(startTrace(CALLER, described)).toBeNull();
    expect(startSpan('work', span)).toBeNull();
  });

  it('given a collector, when work runs within the work of a caller, then the collector receives all spans as one trace', async () => {
    const collector = await startOtlpCollector();
    const stop = await startTracing({ endpoint: `${collector.endpoint}/`, service: 'spec', logger: logger() });
    const outer = { kind: 'server', parent: CALLER, attributes: { 'http.route': '/v1/me' } } as const;
    const told = await traced('outer', outer, (parent) =>
      traced('inner', { kind: 'client', parent }, async (traceparent) => {
        startSpan('innermost', { kind: 'internal', parent: traceparent })?.end();
        return traceparent;
      }),
    );
    const refusal = Object.assign(new Error('what alice@example.com wrote'), { code: 'not_permitted' });
    const failing = { kind: 'internal', parent: CALLER } as const;
    await expect(traced('failing', failing, () => Promise.reject(refusal))).rejects.toBe(refusal);
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
    expect(named('failing').attributes).toEqual({ 'error.type': 'not_permitted' });
    expect(JSON.stringify(spans)).not.toContain('alice');
    expect(isTracing()).toBe(false);
    await collector.close();
  });

  it.each(['not a trace', `${CALLER}-and-more`, '00-00000000000000000000000000000000-b7ad6b7169203331-01', ''])(
    'given a caller with the traceparent "%s", when its trace begins, then a new trace is started',
    async (parent) => {
      const collector = await startOtlpCollector();
      const stop = await startTracing({ endpoint: collector.endpoint, service: 'spec', logger: logger() });
      expect(startSpan('work', { kind: 'server', parent })).toBeNull();
      startTrace(parent, described)?.end();
      await stop();
      expect(collector.spans).toMatchObject([{ parentSpanId: '' }]);
      await collector.close();
    },
  );

  it('given a caller that does not sample, when work runs, then no span is exported', async () => {
    const collector = await startOtlpCollector();
    const stop = await startTracing({ endpoint: collector.endpoint, service: 'spec', logger: logger() });
    const notKept = { kind: 'server', parent: CALLER.replace(/01$/, '00') } as const;
    expect(startTrace(notKept.parent, described)).toBeNull();
    expect(await traced('work', notKept, async (traceparent) => traceparent ?? 'nothing')).toBe('nothing');
    await stop();
    expect(collector.spans).toEqual([]);
    await collector.close();
  });

  it.each([
    ['always_off', 'no trace is started'],
    ['always_on', 'one is started'],
  ])('given the sampler %s, when a caller names no trace, then %s', async (sampler) => {
    process.env['OTEL_TRACES_SAMPLER'] = `parentbased_${sampler}`;
    const collector = await startOtlpCollector();
    const stop = await startTracing({ endpoint: collector.endpoint, service: 'spec', logger: logger() });
    const span = startTrace(undefined, described);
    span?.end();
    await stop();
    expect(span === null).toBe(sampler === 'always_off');
    expect(collector.spans).toHaveLength(span === null ? 0 : 1);
    await collector.close();
    process.env['OTEL_TRACES_SAMPLER'] = 'parentbased_always_on';
  });

  it('given no sampler, when many traces begin, then one in a hundred is sampled, and only that one is described', async () => {
    delete process.env['OTEL_TRACES_SAMPLER'];
    const collector = await startOtlpCollector();
    const stop = await startTracing({ endpoint: collector.endpoint, service: 'spec', logger: logger() });
    const describing = jest.fn(described);
    const kept = Array.from({ length: 20_000 }, () => startTrace(undefined, describing)).filter(
      (span) => span !== null,
    );
    // The tolerance is seven standard deviations.
    expect(Math.abs(kept.length - 200)).toBeLessThan(99);
    expect(describing).toHaveBeenCalledTimes(kept.length);
    expect(startTrace(CALLER, described)).not.toBeNull();
    await stop();
    await collector.close();
    process.env['OTEL_TRACES_SAMPLER'] = 'parentbased_always_on';
  });

  it('given a request over the bus, when it belongs to a trace, then request and response have spans below it', async () => {
    const collector = await startOtlpCollector();
    const stop = await startTracing({ endpoint: collector.endpoint, service: 'spec', logger: logger() });
    const { sendRequest, close } = await serveOverTheBus();
    const traceparent = await sendRequest(CALLER);
    expect(await sendRequest(undefined)).toBe('none');
    await close();
    await stop();
    expect(collector.spans).toHaveLength(2);
    const clientSpan = collector.spans.find(({ name }) => name === 'ask spec.ask')!;
    const serverSpan = collector.spans.find(({ name }) => name === 'answer spec.ask')!;
    expect(clientSpan.parentSpanId).toBe('b7ad6b7169203331');
    expect(serverSpan.parentSpanId).toBe(clientSpan.spanId);
    expect(traceparent).toBe(`00-${serverSpan.traceId}-${serverSpan.spanId}-01`);
    expect(serverSpan.attributes).toEqual({
      'messaging.destination.name': TOPICS.paymentsQueries,
      'settle.request_id': 'request',
    });
    await collector.close();
  });

  it('given a process without tracing, when a traced request arrives, then its handler gets no trace', async () => {
    const { sendRequest, close } = await serveOverTheBus();
    expect(await sendRequest(CALLER)).toBe('none');
    await close();
  });

  it('given an unavailable collector, when spans end, then no work waits and one line is logged', async () => {
    const collector = await startOtlpCollector();
    await collector.close();
    const log = logger();
    const stop = await startTracing({ endpoint: collector.endpoint, service: 'spec', logger: log });
    const kept = { kind: 'internal', parent: CALLER } as const;
    const beganAtMs = performance.now();
    for (let index = 0; index < 1_000; index += 1) await traced('work', kept, async () => index);
    // If each waited, it would take minutes.
    expect(performance.now() - beganAtMs).toBeLessThan(15_000);
    await eventually(() => expect(log.lines).toHaveLength(1));
    for (let index = 0; index < 1_000; index += 1) await traced('work', kept, async () => index);
    await stop();
    expect(log.lines).toEqual(['traces are not taken by the collector and are dropped']);
  });
});
