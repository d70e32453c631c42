import { connect } from 'node:net';
import { once } from 'node:events';
import { Metrics } from '@settle/observability';
import { eventually } from '@settle/testing';
import { fastify, type FastifyInstance } from 'fastify';
import { measureRequests } from './request-metrics.js';

let server: FastifyInstance;
let metrics: Metrics;
let url: string;

beforeAll(async () => {
  server = fastify();
  metrics = new Metrics();
  measureRequests(server, metrics);
  server.get('/v1/users/:user_id', () => Promise.resolve({}));
  server.post('/v1/payments', (_request, reply) => reply.code(503).send({}));
  server.get('/slow', () => new Promise(() => undefined));
  url = await server.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => server.close());

const counted = async (labels: string) => {
  const line = `settle_http_request_duration_seconds_count{${labels}} `;
  return (await metrics.text())
    .split('\n')
    .find((text) => text.startsWith(line))
    ?.slice(line.length);
};

describe('the measured requests', () => {
  it('given requests for a route, when answered, then they are counted by its template and their class of status', async () => {
    await fetch(`${url}/v1/users/id-in-a-path`);
    await fetch(`${url}/v1/users/4712`);
    await fetch(`${url}/v1/payments`, { method: 'POST' });
    await eventually(async () => {
      expect(await counted('route="/v1/users/:user_id",method="GET",status="2xx"')).toBe('2');
      expect(await counted('route="/v1/payments",method="POST",status="5xx"')).toBe('1');
    });
    expect(await metrics.text()).not.toContain('id-in-a-path');
  });

  it('given addresses that are not there, when asked by any method, then they are one line, and name nothing', async () => {
    for (const method of ['GET', 'DELETE']) await fetch(`${url}/made-up`, { method });
    await eventually(async () => expect(await counted('route="none",method="any",status="4xx"')).toBe('2'));
    expect(await metrics.text()).not.toContain('made-up');
  });

  it('given a caller who leaves before the answer, when the page is looked at, then that is counted as aborted', async () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    await once(socket, 'connect');
    socket.write('GET /slow HTTP/1.1\r\nhost: x\r\n\r\n');
    await eventually(async () => expect(await metrics.text()).toContain('settle_http_requests_in_progress 1'));
    socket.destroy();
    await eventually(async () => expect(await counted('route="/slow",method="GET",status="aborted"')).toBe('1'));
    expect(await metrics.text()).toContain('settle_http_requests_in_progress 0');
  });
});
