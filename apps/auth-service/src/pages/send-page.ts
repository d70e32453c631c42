import type { FastifyReply } from 'fastify';
import { contentPolicy } from './page-headers.js';

/** Sends HTML. `formLeadsTo`: the app's address, when a form on the page may end there. */
export async function sendPage(
  reply: FastifyReply,
  html: string,
  { status = 200, formLeadsTo }: { status?: number; formLeadsTo?: string } = {},
): Promise<void> {
  await reply
    .code(status)
    .header('content-security-policy', contentPolicy(formLeadsTo))
    .type('text/html; charset=utf-8')
    .send(html);
}

/** Leads on with 303, which never repeats a POST. */
export async function leadTo(reply: FastifyReply, location: string): Promise<void> {
  await reply.code(303).header('location', location).send();
}
