export type { Latencies } from './latencies.js';
export { createLogger, readableLines, type Logger, type LoggerOptions } from './logger.js';
export { Metrics, keptFor, type Read, type Reading } from './metrics.js';
export { metricsMarkdown } from './metrics-markdown.js';
export { METRICS } from './metrics-table.js';
export { NestPinoLogger } from './nest-pino-logger.js';
export type { SpanAttributes, SpanOptions, TracingOptions } from './span-options.js';
export { beginSpan, isTracing, startTracing, traced, traceparent, withinSpan } from './tracing.js';
