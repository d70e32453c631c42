import type { OpenSpan, OutsideRequest, SpanOptions, SpanWriter, TracingOptions } from './span-writer.js';

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
  return writer?.startTrace(parent, describe) ?? null;
}

/**
 * Starts a span below `parent`, which its caller ends. Null if tracing is off, there is no parent, or the trace is not
 * sampled: then no span is passed to the next process either.
 */
export function startSpan(name: string, options: SpanOptions): OpenSpan | null {
  return writer?.startSpan(name, options) ?? null;
}

/**
 * Does the work within a span as `startSpan` starts it.
 * @param work receives the W3C `traceparent` of that span, for the spans below it
 */
export async function traced<Result>(
  name: string,
  options: SpanOptions,
  work: (traceparent: string | undefined) => Promise<Result>,
): Promise<Result> {
  const span = startSpan(name, options);
  if (span === null) return work(undefined);
  try {
    const result = await work(span.traceparent);
    span.end();
    return result;
  } catch (error) {
    span.fail(error);
    throw error;
  }
}
