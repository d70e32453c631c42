import { createHmac } from 'node:crypto';
import '@fastify/cookie';
import { LIMITS } from '@settle/config';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { looksLikeSecret, randomSecret } from '../secrets.js';

/**
 * The id of the browser's session. Before sign-in it names nothing in the database and only ties the form to the
 * browser; at sign-in it is replaced, so that an id planted by somebody else is worth nothing.
 */
export class SessionCookie {
  readonly #name: string;
  readonly #browserName: string;

  constructor(private readonly isSecure: boolean) {
    // The prefix makes browsers refuse the cookie from other hosts of the domain; they allow it over https only.
    this.#name = isSecure ? '__Host-settle_session' : 'settle_session';
    this.#browserName = isSecure ? '__Host-settle_browser' : 'settle_browser';
  }

  /** Null when the browser has none that we could have made. */
  read(request: FastifyRequest): string | null {
    const value = request.cookies[this.#name];
    return value !== undefined && looksLikeSecret(value) ? value : null;
  }

  /** The browser's id; one is made and sent along when there is none. */
  readOrSet(request: FastifyRequest, reply: FastifyReply): string {
    const present = this.read(request);
    if (present !== null) return present;
    const made = randomSecret();
    this.set(reply, made);
    return made;
  }

  set(reply: FastifyReply, sessionId: string): void {
    reply.setCookie(this.#name, sessionId, this.#options);
  }

  /** By which a browser is known again after its sessions have ended; it opens nothing. */
  readBrowser(request: FastifyRequest): string | null {
    const value = request.cookies[this.#browserName];
    return value !== undefined && looksLikeSecret(value) ? value : null;
  }

  setBrowser(reply: FastifyReply, browserId: string): void {
    reply.setCookie(this.#browserName, browserId, { ...this.#options, maxAge: LIMITS.auth.browserKnownMs / 1_000 });
  }

  get #options() {
    return { path: '/', httpOnly: true, sameSite: 'lax', secure: this.isSecure } as const;
  }
}

/** What a form carries to prove that our page in this browser made it. Nobody can tell it without the cookie. */
export function formTokenOf(sessionId: string): string {
  return createHmac('sha256', sessionId).update('settle form').digest('base64url');
}
