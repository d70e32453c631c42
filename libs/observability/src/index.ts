export { createLogger, readableLines, type Logger, type LoggerOptions } from './logger.js';
export { NestPinoLogger } from './nest-pino-logger.js';
