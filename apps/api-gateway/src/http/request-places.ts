import { SettleError } from '@settle/contracts';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { errorAnswer } from './error-answer.js';

const TOO_MANY = new SettleError('service_unavailable', 'Too many requests are in progress. Try again shortly.');
const { status, headers, body } = errorAnswer(TOO_MANY);
const TOO_MANY_TEXT = JSON.stringify(body);

/**
 * Turns requests away while `most` are worked on: 503 with Retry-After, at once rather than after a wait. Who is turned
 * away takes no place, and costs as little as can be: else those would starve the ones that can be served.
 */
export function boundRequestsInProgress(server: FastifyInstance, most: number): void {
  let inProgress = 0;
  server.addHook('onRequest', (request, reply, done) => {
    if (inProgress >= most && !request.is404) turnAway(reply);
    else done();
  });
  // A request takes its place once its body is here: else a few hundred bodies that never come would take every place.
  server.addHook('preValidation', (_request, reply, done) => {
    if (reply.raw.destroyed) return;
    if (inProgress >= most) {
      turnAway(reply);
      return;
    }
    inProgress += 1;
    reply.raw.once('close', () => (inProgress -= 1));
    done();
  });
}

/** Without the way of other errors, through filters and serializers. */
function turnAway(reply: FastifyReply): void {
  void reply.code(status).headers(headers).type('application/json; charset=utf-8').send(TOO_MANY_TEXT);
}
