import { createHmac } from 'node:crypto';
import '@fastify/cookie';
import { LIMITS } from '@settle/config';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { looksLikeSecret, randomSecret } from '../secrets/secrets.js';

/** A request, and the reply to it, which sets cookies. */
export interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/**
 * The cookies with the ids of the browser's session and of the trusted device. Before sign-in no session has the id: it
 * only ties forms to the browser. Sign-in replaces it, which prevents session fixation.
 */
export class SessionCookie {
  readonly #name: string;
  readonly #deviceName: string;

  constructor(private readonly isSecure: boolean) {
    // With this prefix browsers refuse the cookie from other hosts of the domain; it requires https.
    this.#name = isSecure ? '__Host-settle_session' : 'settle_session';
    this.#deviceName = isSecure ? '__Host-settle_browser' : 'settle_browser';
  }

  /** Returns the session id, or null if the cookie is absent or malformed. */
  read(request: FastifyRequest): string | null {
    return readSecret(request, this.#name);
  }

  /** Returns the session id; sets a new one if there is none. */
  readOrSet({ request, reply }: Exchange): string {
    const existing = this.read(request);
    if (existing !== null) return existing;
    const created = randomSecret();
    this.set(reply, created);
    return created;
  }

  set(reply: FastifyReply, sessionId: string): void {
    reply.setCookie(this.#name, sessionId, this.#options);
  }

  /** Returns the id that recognizes the browser after its sessions have ended, or null; it grants no access. */
  readDevice(request: FastifyRequest): string | null {
    return readSecret(request, this.#deviceName);
  }

  setDevice(reply: FastifyReply, deviceId: string): void {
    reply.setCookie(this.#deviceName, deviceId, { ...this.#options, maxAge: LIMITS.auth.trustedDeviceMs / 1_000 });
  }

  get #options() {
    return { path: '/', httpOnly: true, sameSite: 'lax', secure: this.isSecure } as const;
  }
}

function readSecret(request: FastifyRequest, name: string): string | null {
  const value = request.cookies[name];
  return value !== undefined && looksLikeSecret(value) ? value : null;
}

/** Returns the CSRF token of the session's forms. It cannot be derived without the cookie. */
export function deriveFormToken(sessionId: string): string {
  return createHmac('sha256', sessionId).update('settle form').digest('base64url');
}
