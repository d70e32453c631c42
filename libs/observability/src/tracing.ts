import { AsyncLocalStorage } from 'node:async_hooks';
import type { SpanOptions, TracingOptions } from './span-options.js';
import type { OpenSpan, SpanWriter } from './span-writer.js';

const atWork = new AsyncLocalStorage<OpenSpan>();
/** Null: nothing is traced, and nothing that traces is loaded. */
let writer: SpanWriter | null = null;

/**
 * From now on spans of this process are sent, in batches and behind everybody's back; what a collector that is away
 * does not take is dropped, beyond a bound. The means are loaded only here.
 * @returns sends what is left, within bounds, and ends it
 */
export async function startTracing(options: TracingOptions): Promise<() => Promise<void>> {
  const { SpanWriter } = await import('./span-writer.js');
  const opened = new SpanWriter(options);
  writer = opened;
  return async () => {
    if (writer === opened) writer = null;
    await opened.close();
  };
}

export function isTracing(): boolean {
  return writer !== null;
}

/** A span that its caller ends; null when nothing is traced, or not the trace that it would belong to. For work whose promise nobody may stand before. */
export function beginSpan(name: string, options: SpanOptions): OpenSpan | null {
  return writer === null ? null : writer.begin(name, options, atWork.getStore());
}

/** Whatever `work` begins belongs to the span. */
export function withinSpan<Result>(span: OpenSpan, work: () => Result): Result {
  return atWork.run(span, work);
}

/** Does the work, within a span of its own when something is traced. */
export function traced<Result>(name: string, options: SpanOptions, work: () => Promise<Result>): Promise<Result> {
  const span = beginSpan(name, options);
  return span === null ? work() : untilEnded(span, work);
}

async function untilEnded<Result>(span: OpenSpan, work: () => Promise<Result>): Promise<Result> {
  try {
    const result = await withinSpan(span, work);
    span.end();
    return result;
  } catch (error) {
    span.fail(error);
    throw error;
  }
}

/** W3C `traceparent` of the span at work, to be sent to whoever is asked. */
export function traceparent(): string | undefined {
  return writer === null ? undefined : atWork.getStore()?.traceparent;
}
