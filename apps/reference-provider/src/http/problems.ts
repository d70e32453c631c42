import type { FastifyReply } from 'fastify';

/** Errors of the interface. */
const PROBLEMS = {
  invalid_request: 400,
  invalid_signature: 401,
  not_found: 404,
  /** The key has other content. */
  key_conflict: 409,
  /** `begin_before` had passed: the key never begins. */
  too_late: 410,
} as const;

/** Sends an error as JSON: its code, which is stable, and a text for the developer. */
export function sendProblem(reply: FastifyReply, code: keyof typeof PROBLEMS, message: string): FastifyReply {
  return reply.code(PROBLEMS[code]).send({ error: { code, message } });
}
