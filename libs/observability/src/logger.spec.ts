import { Writable } from 'node:stream';
import type { LogLevel } from '@settle/config';
import { NestPinoLogger, createLogger } from './index.js';

type Line = Record<string, unknown>;

function listening(level: LogLevel = 'info') {
  const lines: Line[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(chunk.toString()) as Line);
      done();
    },
  });
  return { lines, logger: createLogger({ level, service: 'spec', stream }) };
}

describe('logger', () => {
  it('given a line, when logged, then it is one JSON object with level, service, time and fields', () => {
    const { lines, logger } = listening();
    logger.info({ route: '/v1/me', status: 200 }, 'request');
    expect(lines).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/Z$/) as string,
        service: 'spec',
        route: '/v1/me',
        status: 200,
        msg: 'request',
      },
    ]);
  });

  it('given a less severe line than the level, when logged, then nothing is written', () => {
    const { lines, logger } = listening('warn');
    logger.info('quiet');
    expect(lines).toHaveLength(0);
  });

  it('given secret and personal fields, when logged at any depth, then their values are hidden', () => {
    const { lines, logger } = listening();
    const fields = { token: 'c4n4ry', email: 'c4n4ry', note: 'c4n4ry', password: 'c4n4ry', Authorization: 'c4n4ry' };
    const deep = { a: { b: { c: { d: { e: fields } } } } };
    logger.info({
      ...fields,
      deep,
      list: [fields],
      req: { headers: { ...fields, 'Set-Cookie': 'c4n4ry', access_token: 'c4n4ry' } },
    });
    expect(JSON.stringify(lines)).not.toContain('c4n4ry');
    expect(lines[0]).toMatchObject({ token: '[hidden]', req: { headers: { 'Set-Cookie': '[hidden]' } } });
    expect(fields.token).toBe('c4n4ry');
  });

  it('given a database error with its values, when logged, then only type, code, message and stack are', () => {
    const { lines, logger } = listening();
    const values = { detail: 'Key (email)=(c4n4ry) exists', parameters: ['c4n4ry'], code: '23505' };
    logger.error({ err: Object.assign(new Error('duplicate key'), values, { cause: new Error('beneath') }) });
    expect(JSON.stringify(lines)).not.toContain('c4n4ry');
    expect(lines[0]).toMatchObject({
      err: { type: 'Error', code: '23505', message: 'duplicate key', cause: { message: 'beneath' } },
    });
  });

  it('given something thrown that is no error, when logged, then its value is not', () => {
    const { lines, logger } = listening();
    logger.error({ err: 'c4n4ry' });
    expect(JSON.stringify(lines)).not.toContain('c4n4ry');
  });
});

describe('Nest through the logger', () => {
  it('given chatter, when Nest logs it, then nothing is written', () => {
    const { lines, logger } = listening('trace');
    const nest = new NestPinoLogger(logger);
    nest.log();
    nest.debug();
    nest.verbose();
    expect(lines).toHaveLength(0);
  });

  it('given a warning with its context, when Nest logs it, then both are in the line', () => {
    const { lines, logger } = listening();
    new NestPinoLogger(logger).warn('odd', 'Router');
    expect(lines[0]).toMatchObject({ level: 'warn', msg: 'odd', context: 'Router' });
  });

  it('given an error as text, stack and context, when Nest logs it, then all three are in the line', () => {
    const { lines, logger } = listening();
    new NestPinoLogger(logger).error('broken', 'Error: broken\n    at somewhere', 'Router');
    expect(lines[0]).toMatchObject({
      level: 'error',
      msg: 'broken',
      stack: expect.stringContaining('at') as string,
      context: 'Router',
    });
  });

  it('given an error object, when Nest logs it, then it is described', () => {
    const { lines, logger } = listening();
    new NestPinoLogger(logger).fatal(new TypeError('broken'));
    expect(lines[0]).toMatchObject({ level: 'fatal', err: { type: 'TypeError', message: 'broken' } });
  });
});
