import type { LogLevel } from '@settle/config';
import type { Logger } from './logger.js';

/** As OpenTelemetry calls them: who asks, who answers, and what happens between. */
export type SpanKindName = 'server' | 'client' | 'internal';

/** Ids, names and numbers alone: never what people wrote, tokens, addresses or query strings. */
export type SpanAttributes = Readonly<Record<string, string | number>>;

/** The attributes of a request in the first span of this process. */
export interface OutsideRequest {
  readonly name: string;
  readonly attributes: SpanAttributes;
}

export interface SpanOptions {
  readonly kind: SpanKindName;
  readonly attributes?: SpanAttributes;
  /**
   * W3C `traceparent` of the span that this one belongs to, as it came. It is passed by hand: to know it from what runs
   * now Node watches every promise of the process.
   */
  readonly parent: string | undefined;
}

export interface TracingOptions {
  /** The collector's base address; spans go to `/v1/traces` below it. */
  readonly endpoint: string;
  readonly service: string;
  readonly instance?: string | null;
  readonly logger: Pick<Logger, Extract<LogLevel, 'info' | 'warn'>>;
}
