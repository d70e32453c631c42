import type { FastifyReply } from 'fastify';
import { buildContentSecurityPolicy } from './page-headers.js';

/** Sends an HTML page. @param formRedirectsTo the redirect URI of the app, if a form on the page may redirect there */
export async function sendPage(
  reply: FastifyReply,
  html: string,
  { status = 200, formRedirectsTo }: { status?: number; formRedirectsTo?: string } = {},
): Promise<void> {
  await reply
    .code(status)
    .header('content-security-policy', buildContentSecurityPolicy(formRedirectsTo))
    .type('text/html; charset=utf-8')
    .send(html);
}

/** Redirects with 303, which never repeats a POST. */
export async function redirect(reply: FastifyReply, location: string): Promise<void> {
  await reply.code(303).header('location', location).send();
}
