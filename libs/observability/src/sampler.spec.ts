import { ROOT_CONTEXT, SpanKind, TraceFlags, trace } from '@opentelemetry/api';
import { SamplingDecision, type Sampler } from '@opentelemetry/sdk-trace';
import { createSampler } from './sampler.js';

const SPAN_ID = 'b7ad6b7169203331';

function createLogger() {
  const warnings: string[] = [];
  const warn = (_fields: unknown, text?: string) => void warnings.push(text ?? '');
  return { warnings, warn: warn as never };
}

/** The traces of 1,000 that a sampler keeps, spread evenly over all ids; of a caller that does or does not sample, or of none. */
function countKept(sampler: Sampler, caller?: TraceFlags): number {
  const isKept = (_: unknown, index: number) => {
    const traceId = Math.floor((index / 1_000) * 2 ** 32)
      .toString(16)
      .padStart(8, '0')
      .concat('0'.repeat(23), '1');
    const context =
      caller === undefined
        ? ROOT_CONTEXT
        : trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId: SPAN_ID, traceFlags: caller });
    const { decision } = sampler.shouldSample(context, traceId, 'work', SpanKind.SERVER, {}, []);
    return decision === SamplingDecision.RECORD_AND_SAMPLED;
  };
  return Array.from({ length: 1_000 }).filter(isKept).length;
}

describe('the sampler of the standard settings', () => {
  it.each([
    { name: 'always_on', arg: undefined, kept: [1_000, 1_000, 1_000] },
    { name: 'always_off', arg: undefined, kept: [0, 0, 0] },
    { name: 'traceidratio', arg: '0.25', kept: [250, 250, 250] },
    { name: 'parentbased_always_on', arg: undefined, kept: [1_000, 1_000, 0] },
    { name: 'parentbased_always_off', arg: undefined, kept: [0, 1_000, 0] },
    { name: 'parentbased_traceidratio', arg: ' 0.25', kept: [250, 1_000, 0] },
    { name: 'parentbased_traceidratio', arg: '0', kept: [0, 1_000, 0] },
  ])(
    'given $name with $arg, when traces start, then of those without a caller, with one that samples and one that does not it keeps $kept',
    ({ name, arg, kept }) => {
      const logger = createLogger();
      const sampler = createSampler({ name, arg }, logger);
      const counts = [undefined, TraceFlags.SAMPLED, TraceFlags.NONE].map((caller) => countKept(sampler, caller));
      expect(counts).toEqual(kept);
      expect(logger.warnings).toEqual([]);
    },
  );

  it.each([undefined, '', 'half', '-0.1', '1.1'])(
    'given the ratio "%s", when the sampler is created, then it keeps every trace and a warning says so',
    (arg) => {
      const logger = createLogger();
      expect(countKept(createSampler({ name: 'traceidratio', arg }, logger))).toBe(1_000);
      expect(logger.warnings).toEqual([expect.stringContaining('OTEL_TRACES_SAMPLER_ARG')]);
    },
  );

  it.each(['xray', 'parentbased_', 'parentbased_jaeger_remote'])(
    'given the unknown sampler %s, when it is created, then it keeps all but what a caller does not sample, and a warning says so',
    (name) => {
      const logger = createLogger();
      const sampler = createSampler({ name, arg: '0.1' }, logger);
      expect([countKept(sampler), countKept(sampler, TraceFlags.NONE)]).toEqual([1_000, 0]);
      expect(logger.warnings).toEqual([expect.stringContaining('OTEL_TRACES_SAMPLER')]);
    },
  );
});
