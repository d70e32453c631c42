import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
  type Span,
  type SpanContext,
  type Tracer,
} from '@opentelemetry/api';
import { ExportResultCode, parseTraceParent, type ExportResult } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider, type ReadableSpan, type SpanExporter } from '@opentelemetry/sdk-trace';
import { settlesWithin } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import type { Logger } from './logger.js';
import { createSampler } from './sampler.js';

const { spansWaiting, spansPerBatch, sendSpansEveryMs, sendSpansWaitMs } = LIMITS.observability;

/** The default, without `OTEL_TRACES_SAMPLER`: to trace every payment would slow down payments noticeably. */
const KEPT_RATIO = 0.01;

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;

/** Only ids, names and numbers: never texts of users, tokens, addresses or query strings. */
type SpanAttributes = Readonly<Record<string, string | number>>;

/** The attributes of a request in the first span of this process. */
export interface OutsideRequest {
  readonly name: string;
  readonly attributes: SpanAttributes;
}

export interface SpanOptions {
  readonly kind: keyof typeof KINDS;
  readonly attributes?: SpanAttributes;
  /**
   * W3C `traceparent` of the span that this one belongs to, as received. It is passed explicitly, because work is done
   * for many requests at once (docs/adr/0016-spans-by-hand.md).
   */
  readonly parent: string | undefined;
}

export interface TracingOptions {
  /** The collector's base address; spans go to `/v1/traces` below it. */
  readonly endpoint: string;
  readonly service: string;
  readonly instance?: string | null;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

/** A span that has not ended. */
export class OpenSpan {
  constructor(private readonly span: Span) {}

  /** W3C Trace Context, version 00. */
  get traceparent(): string {
    const { traceId, spanId, traceFlags } = this.span.spanContext();
    return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
  }

  end(attributes: SpanAttributes = {}): void {
    this.span.setAttributes(attributes).end();
  }

  /** Records the code or class of the error, because messages may repeat a caller's data. */
  fail(error: unknown): void {
    const { code, name } = error as { readonly code?: unknown; readonly name?: unknown };
    const type = typeof code === 'string' ? code : typeof name === 'string' ? name : 'unknown';
    this.span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR }).end();
  }
}

/** Collects spans and sends them to a collector as OTLP over HTTP. */
export class SpanWriter {
  readonly #provider: TracerProvider;
  readonly #tracer: Tracer;
  readonly #keptRatio: number;

  constructor({ endpoint, service, instance = null, logger }: TracingOptions) {
    const url = `${endpoint.replace(/\/$/, '')}/v1/traces`;
    const exporter = new ReportingExporter(new OTLPTraceExporter({ url, timeoutMillis: sendSpansWaitMs }), logger);
    const chosen = process.env['OTEL_TRACES_SAMPLER']?.trim() ?? '';
    const arg = process.env['OTEL_TRACES_SAMPLER_ARG'];
    // Sampled here, before any span exists: a sampler needs ids, name and attributes of spans that it mostly drops.
    this.#keptRatio = chosen === '' ? KEPT_RATIO : 1;
    this.#provider = new TracerProvider({
      sampler: createSampler({ name: chosen === '' ? 'parentbased_always_on' : chosen, arg }, logger),
      resource: resourceFromAttributes({
        'service.name': service,
        ...(instance === null ? {} : { 'service.instance.id': instance }),
      }),
      spanProcessors: [
        new BatchSpanProcessor({
          exporter,
          maxQueueSize: spansWaiting,
          maxExportBatchSize: spansPerBatch,
          scheduledDelayMillis: sendSpansEveryMs,
          exportTimeoutMillis: sendSpansWaitMs,
        }),
      ],
    });
    this.#tracer = this.#provider.getTracer('settle');
  }

  /** See `startTrace` in `tracing.ts`. */
  startTrace(parent: string | undefined, describe: () => OutsideRequest): OpenSpan | null {
    const above = parseParent(parent);
    if (above === null && Math.random() >= this.#keptRatio) return null;
    const { name, attributes } = describe();
    return this.#start(name, { kind: 'server', attributes }, above);
  }

  /** See `startSpan` in `tracing.ts`. */
  startSpan(name: string, options: SpanOptions): OpenSpan | null {
    const above = parseParent(options.parent);
    return above === null ? null : this.#start(name, options, above);
  }

  #start(
    name: string,
    { kind, attributes = {} }: Omit<SpanOptions, 'parent'>,
    above: SpanContext | null,
  ): OpenSpan | null {
    if (above !== null && !isKept(above)) return null;
    const within = above === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, above);
    const span = this.#tracer.startSpan(name, { kind: KINDS[kind], attributes }, within);
    return isKept(span.spanContext()) ? new OpenSpan(span) : null;
  }

  /** Sends the remaining spans, within a time limit. */
  async close(): Promise<void> {
    await settlesWithin(this.#provider.shutdown(), sendSpansWaitMs);
  }
}

function parseParent(parent: string | undefined): SpanContext | null {
  return parent === undefined ? null : parseTraceParent(parent);
}

function isKept({ traceFlags }: SpanContext): boolean {
  return (traceFlags & TraceFlags.SAMPLED) !== 0;
}

/** Logs once that the collector does not accept spans, and once that it does again. */
class ReportingExporter implements SpanExporter {
  #isUnavailable = false;

  constructor(
    private readonly exporter: SpanExporter,
    private readonly logger: TracingOptions['logger'],
  ) {}

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.exporter.export(spans, ({ code, error: err }) => {
      const wasUnavailable = this.#isUnavailable;
      this.#isUnavailable = code !== ExportResultCode.SUCCESS;
      if (this.#isUnavailable && !wasUnavailable) {
        this.logger.warn({ err }, 'traces are not taken by the collector and are dropped');
      }
      if (!this.#isUnavailable && wasUnavailable) this.logger.info('traces are taken by the collector again');
      done({ code: ExportResultCode.SUCCESS });
    });
  }

  shutdown(): Promise<void> {
    return this.exporter.shutdown();
  }
}
