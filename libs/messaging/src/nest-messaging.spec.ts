import 'reflect-metadata';
import { Writable } from 'node:stream';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { SettleError } from '@settle/contracts';
import { createLogger } from '@settle/observability';
import {
  Calculator,
  CalculatorModule,
  OtherModule,
  add,
  crash,
  doubled,
  good,
  hang,
  happened,
  other,
  refuse,
  type Add,
  type Sum,
} from '../test/calculator.fixture.js';
import { BusServer, InMemoryBus, MessageClient, OnRequest } from './index.js';

async function listening() {
  const lines: string[] = [];
  const stream = new Writable({ write: (chunk: Buffer, _encoding, done) => (lines.push(chunk.toString()), done()) });
  const bus = new InMemoryBus({ logger: createLogger({ level: 'info', service: 'spec', stream }), copyMessages: true });
  const start = async (module: object): Promise<INestApplicationContext> => {
    const app = await NestFactory.createMicroservice(module as new () => object, {
      strategy: new BusServer(bus),
      logger: false,
    });
    await app.listen();
    return app;
  };
  return { bus, lines, start, client: new MessageClient(bus) };
}

const as = (key: string) => ({ key, timeoutMs: 1000, requestId: `request-of-${key}` });

describe('requests through Nest', () => {
  it('given a handler, when asked, then it answers and sees the request id', async () => {
    const { start, client } = await listening();
    await start(CalculatorModule);
    await expect(client.request(add, good, as('a'))).resolves.toEqual({ sum: 3, requestId: 'request-of-a' });
  });

  it('given a refusal thrown by a handler, when asked, then code, message and details arrive', async () => {
    const { start, client } = await listening();
    await start(CalculatorModule);
    const error: unknown = await client.request(refuse, good, as('a')).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(SettleError);
    expect(error).toMatchObject({ code: 'insufficient_funds', message: 'Not enough.', details: { missingCents: 5 } });
  });

  it('given a bug in a handler, when asked, then the caller learns nothing of it and the log has its request id', async () => {
    const { start, client, lines } = await listening();
    await start(CalculatorModule);
    const error: unknown = await client.request(crash, good, as('a')).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'internal_error', details: {} });
    expect(String(error)).not.toContain('c4n4ry');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      requestId: 'request-of-a',
      pattern: 'spec.crash',
      err: { message: 'c4n4ry of a bug' },
    });
  });

  it.each([
    ['a wrong type', { ...good, left: 'c4n4ry' }, 'left'],
    ['a value beyond its bounds', { ...good, left: 101 }, 'left'],
    ['a missing property', { left: 1, place: good.place }, 'right'],
    ['a nested property that is wrong', { ...good, place: { street: 'c4n4ry-c4n4ry' } }, 'place.street'],
  ])('given %s, when asked, then it is refused by name, without its value', async (_what, payload, name) => {
    const { start, client } = await listening();
    await start(CalculatorModule);
    const error: unknown = await client.request(add, payload as Add, as('a')).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'invalid_request', message: expect.stringContaining(name) as string });
    expect(String(error)).not.toContain('c4n4ry');
  });

  it('given two applications on one bus, when asked for one pattern of two topics, then each answers its own', async () => {
    const { start, client } = await listening();
    await start(CalculatorModule);
    await start(OtherModule);
    const payload = { ...good, left: 5, right: 6 };
    await expect(client.request(add, payload, as('a'))).resolves.toMatchObject({ sum: 11 });
    await expect(client.request(other, payload, as('a'))).resolves.toMatchObject({ sum: 30 });
  });

  it('given a Nest interceptor on a handler, when asked, then it takes part in answers and lets refusals through', async () => {
    const { start, client } = await listening();
    await start(OtherModule);
    await expect(client.request(doubled, { ...good, left: 4 }, as('a'))).resolves.toMatchObject({ sum: 8 });
    const refused = client.request(doubled, { ...good, left: 0 }, as('a'));
    await expect(refused).rejects.toMatchObject({ code: 'not_permitted', message: 'Nothing to double.' });
  });

  it('given a pattern that another application answers, when a second one starts, then the start fails', async () => {
    const { start } = await listening();
    await start(OtherModule);
    await expect(start(OtherModule)).rejects.toThrow('Two handlers');
  });

  it('given a request in progress, when its application closes, then it is answered first and later ones are refused', async () => {
    const { start, client } = await listening();
    const app = await start(CalculatorModule);
    const inProgress = client.request(hang, good, as('a'));
    while (app.get(Calculator).hangs.length === 0) await new Promise(setImmediate);
    let isClosed = false;
    const closed = app.close().then(() => (isClosed = true));
    await expect(client.request(add, good, as('a'))).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(isClosed).toBe(false);
    for (const release of app.get(Calculator).hangs) release();
    await expect(inProgress).resolves.toMatchObject({ sum: 0 });
    await closed;
  });

  it('given a method whose payload is no class, when decorated, then it fails at once', () => {
    const decorate = OnRequest(add);
    const method = { value: async (): Promise<Sum> => ({ sum: 0, requestId: '' }) };
    expect(() => decorate({}, 'unknown', method)).toThrow('must be a class with validators');
  });
});

describe('events through Nest', () => {
  it('given two groups, when events are published, then each gets them all in order', async () => {
    const { start, client } = await listening();
    const app = await start(CalculatorModule);
    await Promise.all([1, 2, 3].map((n) => client.publish(happened, 'k', { n })));
    await client.publish(happened, 'k', null);
    const payloads = [{ n: 1 }, { n: 2 }, { n: 3 }, null];
    expect(app.get(Calculator).seen.map((event) => event.payload)).toEqual(payloads);
    expect(app.get(Calculator).alsoSeen.map((event) => event.payload)).toEqual(payloads);
  });

  it('given an event of another form, when published, then it is reported and left out, and the next arrives', async () => {
    const { start, client, lines } = await listening();
    const app = await start(CalculatorModule);
    await client.publish(happened, 'k', { n: 'c4n4ry' } as unknown as { n: number });
    await client.publish(happened, 'k', { n: 2 });
    expect(app.get(Calculator).seen.map((event) => event.payload)).toEqual([{ n: 2 }]);
    expect(lines.join()).not.toContain('c4n4ry');
  });

  it('given a follower that fails twice, when an event is published, then publishing waits until it was taken', async () => {
    const { start, client, lines } = await listening();
    const app = await start(CalculatorModule);
    app.get(Calculator).failures = 2;
    await client.publish(happened, 'k', { n: 1 });
    expect(app.get(Calculator).seen).toHaveLength(1);
    expect(lines).toHaveLength(2);
  });

  it('given a consumer that closes while it rejects, when events are published, then no publisher waits for it', async () => {
    const { start, client } = await listening();
    const app = await start(CalculatorModule);
    app.get(Calculator).failures = Infinity;
    const refused = client.publish(happened, 'k', { n: 1 });
    const told = expect(refused).rejects.toMatchObject({ code: 'service_unavailable' });
    await app.close();
    await told;
    await expect(client.publish(happened, 'k', { n: 2 })).rejects.toMatchObject({ code: 'service_unavailable' });
  });
});
