import { withLegacyDatetimes } from '@settle/contracts';
import type { FastifyInstance } from 'fastify';

/** Gives responses to apps with legacy answers their form of datetimes. Call it before routes are added. */
export function answerLegacyApps(server: FastifyInstance): void {
  server.addHook('preSerialization', (request, _reply, answer, done) => {
    // Absent on routes without a token.
    const takesLegacyAnswers = (request.user as typeof request.user | undefined)?.legacyAnswers === true;
    done(null, takesLegacyAnswers ? withLegacyDatetimes(answer) : answer);
  });
}
