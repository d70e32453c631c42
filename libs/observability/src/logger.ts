import { LIMITS, type LogLevel } from '@settle/config';
import {
  destination,
  pino,
  stdTimeFunctions,
  type DestinationStream,
  type Logger,
  type LoggerOptions as LoggerConfiguration,
} from 'pino';
import pretty from 'pino-pretty';
import { redactSecrets } from './redact-secrets.js';
import type { Metrics } from './metrics.js';

export type { Logger } from 'pino';

const DEEPEST_CAUSE = 4;

type LogMethod = NonNullable<NonNullable<LoggerConfiguration['hooks']>['logMethod']>;

interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  readonly stack?: string;
  readonly cause?: LoggedError;
}

/** Returns only these fields, because database errors also contain the values of the statement. */
function describeError(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: 'something that is no error was thrown' };
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  const stack = error.stack === undefined ? {} : { stack: error.stack };
  const hasCause = error.cause !== undefined && depth < DEEPEST_CAUSE;
  const cause = hasCause ? { cause: describeError(error.cause, depth + 1) } : {};
  return { type: error.name, message: error.message, ...code, ...stack, ...cause };
}

/** Returns a function that formats a log line for a terminal, without a line break. It returns other lines unchanged. */
export function readableLines(): (line: string) => string {
  const readable = pretty.prettyFactory({ colorize: true, singleLine: true, ignore: 'pid,hostname,service,instance' });
  return (line) => readable(line).trimEnd();
}

function standardOutput(): DestinationStream {
  if (process.stdout.isTTY) return pretty({ colorize: true, sync: true, ignore: 'pid,hostname' });
  // Lines are buffered and written in the background, at the latest after `flushEveryMs` and at exit. Lines beyond the
  // limit are lost if the reader is stuck.
  const { gatherBytes: minLength, bufferBytes: maxLength, flushEveryMs: periodicFlush } = LIMITS.observability;
  return destination({ dest: 1, sync: false, minLength, maxLength, periodicFlush });
}

export interface LoggerOptions {
  readonly level: LogLevel;
  /** A field of each line. */
  readonly service: string;
  /** The process of the service; a field of each line, if given. */
  readonly instance?: string;
  /** Absent: standard output, formatted in a terminal and JSON otherwise. */
  readonly stream?: DestinationStream;
  /** Counts the lines of level warn and above. */
  readonly metrics?: Metrics | undefined;
}

/** Returns a logger of structured lines. Errors belong in `err`. Children may add fields other than `service`. */
export function createLogger(options: LoggerOptions): Logger {
  const { level, service, instance, stream = standardOutput(), metrics } = options;
  return pino(
    {
      ...(metrics === undefined ? {} : { hooks: { logMethod: countLines(metrics) } }),
      level,
      base: instance === undefined ? { service } : { service, instance },
      timestamp: stdTimeFunctions.isoTime,
      formatters: {
        level: (label) => ({ level: label }),
        log: (fields) => redactSecrets(fields),
      },
      serializers: { err: (error: unknown) => describeError(error) },
    },
    stream,
  );
}

function countLines(metrics: Metrics): LogMethod {
  const counts = { warn: 0, error: 0, fatal: 0 };
  const { warn, error, fatal } = pino.levels.values;
  metrics.register('logLines', () => Object.entries(counts).map(([level, count]) => [{ level }, count]));
  return function (args, method, level) {
    if (level === warn) counts.warn += 1;
    else if (level === error) counts.error += 1;
    else if (level === fatal) counts.fatal += 1;
    method.apply(this, args);
  };
}
