import { withLegacyDatetimes } from '@settle/contracts';
import type { FastifyInstance } from 'fastify';

/** Answers of the interface to an app that takes legacy ones have their datetimes. To be called before routes are added. */
export function answerLegacyApps(server: FastifyInstance): void {
  server.addHook('preSerialization', (request, _reply, answer, done) => {
    // Absent on routes without a token.
    const takesLegacyAnswers = (request.user as typeof request.user | undefined)?.legacyAnswers === true;
    done(null, takesLegacyAnswers ? withLegacyDatetimes(answer) : answer);
  });
}
