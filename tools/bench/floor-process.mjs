/** One handler that pays by one stored function, see `floor.mjs`. */
import { createHash } from 'node:crypto';
import { fastify } from 'fastify';
import pg from 'pg';

/** Enough to keep the server busy; more would wait for each other. */
const CONNECTIONS = 16;
const PAY = { name: 'pay', text: 'select pay($1, $2, $3, $4) as id' };

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: CONNECTIONS });
const server = fastify();
server.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
  done(null, new URLSearchParams(body)),
);
server.post('/v1/payments', async (request, reply) => {
  const token = createHash('sha256').update(request.headers.authorization.slice('Bearer '.length)).digest();
  const amountCents = Math.round(Number(request.body.get('amount')) * 100);
  const values = [token, request.body.get('user_id'), amountCents, request.body.get('note')];
  const { rows } = await pool.query({ ...PAY, values });
  if (rows[0].id === null) return reply.code(401).send();
  return { data: { payment: { id: rows[0].id, amount: amountCents / 100 } } };
});
await server.listen({ host: '127.0.0.1', port: 0 });
process.send({ port: server.server.address().port });
