import { SettleError } from '@settle/contracts';
import { KnownPaths } from '@settle/lifecycle';
import type { FastifyInstance } from 'fastify';

/**
 * Tells apart why no route takes a request: another method would be taken there (405, and `Allow` names which), or
 * nothing is there. OPTIONS is answered. To be called before routes are added.
 */
export function answerUnrouted(server: FastifyInstance): void {
  const known = new KnownPaths();
  server.addHook('onRoute', ({ url, method }) => known.add(url, [method].flat()));
  server.addHook('onRequest', (request, reply, done) => {
    const allow = request.is404 ? known.allow(request.url.split('?', 1)[0] ?? '') : null;
    if (allow === null) done();
    else if (request.method === 'OPTIONS') void reply.code(204).header('allow', allow).send();
    else done(new SettleError('method_not_allowed', `This address takes ${allow}.`, { allow }));
  });
}
