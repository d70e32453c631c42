import type { OutsideRequest, SpanOptions, TracingOptions } from './span-options.js';
import type { OpenSpan, SpanWriter } from './span-writer.js';

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

/**
 * The first span of what somebody outside asks for: below theirs if `parent` names one, otherwise the first of its
 * trace, which is kept or not from here on. Its caller ends it. Null when nothing is traced, or not this trace.
 * @param parent W3C `traceparent`, as it came
 * @param describe is asked only when it is kept
 */
export function beginTrace(parent: string | undefined, describe: () => OutsideRequest): OpenSpan | null {
  return writer === null ? null : writer.begin(parent, describe);
}

/**
 * A span below `parent`, which its caller ends. Null when nothing is traced or no parent is named: what is not kept
 * has no spans, so that nothing has to be told to the next.
 */
export function beginSpan(name: string, options: SpanOptions): OpenSpan | null {
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
  const span = beginSpan(name, options);
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
