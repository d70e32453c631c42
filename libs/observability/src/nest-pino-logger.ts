import type { LoggerService } from '@nestjs/common';
import type { Logger } from './logger.js';

/** Passes Nest's log messages of level `warn` and above to our logger: the others do not help an operator. */
export class NestPinoLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(): void {}

  debug(): void {}

  verbose(): void {}

  warn(message: unknown, ...rest: unknown[]): void {
    this.logger.warn(fieldsOf(message, rest), textOf(message));
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.logger.error(fieldsOf(message, rest), textOf(message));
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.logger.fatal(fieldsOf(message, rest), textOf(message));
  }
}

function textOf(message: unknown): string {
  if (message instanceof Error) return message.message;
  return typeof message === 'string' ? message : 'Nest reports an object';
}

/** Nest passes `(message, stack?, context?)`: a text of several lines is the stack, the last other text the context. */
function fieldsOf(message: unknown, rest: readonly unknown[]): object {
  const texts = rest.filter((part) => typeof part === 'string');
  const stack = texts.find((text) => text.includes('\n'));
  const context = texts.findLast((text) => text !== stack);
  return { ...(message instanceof Error && { err: message }), ...(stack && { stack }), ...(context && { context }) };
}
