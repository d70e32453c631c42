import { SettleError } from '@settle/contracts';
import { KnownPaths } from '@settle/lifecycle';
import type { FastifyInstance } from 'fastify';

/** Responds to OPTIONS, and with 405 and `Allow` if the path supports other methods. Must precede the routes. */
export function handleUnroutedRequests(server: FastifyInstance): void {
  const paths = new KnownPaths();
  server.addHook('onRoute', ({ url, method }) => paths.add(url, [method].flat()));
  server.addHook('onRequest', (request, reply, done) => {
    const allow = request.is404 ? paths.allow(request.url.split('?', 1)[0] ?? '') : null;
    if (allow === null) done();
    else if (request.method === 'OPTIONS') void reply.code(204).header('allow', allow).send();
    else done(new SettleError('method_not_allowed', `This address takes ${allow}.`, { allow }));
  });
}
