import type { OutsideRequest, SpanOptions, TracingOptions } from './span-options.js';
import type { OpenSpan, SpanWriter } from './span-writer.js';

/** Null: nothing is traced, and nothing that traces is loaded. */
let writer: SpanWriter | null = null;

/**
 * Starts to export the spans of this process, in batches and in the background. Spans that an unavailable collector does
 * not accept are dropped above a limit. Loads the exporter on demand.
 * @returns exports the remaining spans, within a time limit, and stops
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

/**
 * Starts the span of a request from outside: a child of `parent` if that is valid, otherwise the root of a new trace,
 * which is sampled here. The caller ends it. Null if tracing is off or the trace is not sampled.
 * @param parent W3C `traceparent`, as received
 * @param describe called only if the trace is sampled
 */
export function startTrace(parent: string | undefined, describe: () => OutsideRequest): OpenSpan | null {
  return writer === null ? null : writer.begin(parent, describe);
}

/**
 * A span below `parent`, which its caller ends. Null when nothing is traced or no parent is named: what is not kept
 * has no spans, so that nothing has to be passed to the next.
 */
export function startSpan(name: string, options: SpanOptions): OpenSpan | null {
  return writer === null || options.parent === undefined ? null : writer.continue(name, options);
}

/**
 * Does the work, within a span as `beginSpan` begins it.
 * @param work is given the W3C `traceparent` of that span, to be handed to whatever belongs below it
 */
export function traced<Result>(
  name: string,
  options: SpanOptions,
  work: (traceparent: string | undefined) => Promise<Result>,
): Promise<Result> {
  const span = startSpan(name, options);
  return span === null ? work(undefined) : untilEnded(span, work);
}

async function untilEnded<Result>(span: OpenSpan, work: (traceparent: string) => Promise<Result>): Promise<Result> {
  try {
    const result = await work(span.traceparent);
    span.end();
    return result;
  } catch (error) {
    span.fail(error);
    throw error;
  }
}
