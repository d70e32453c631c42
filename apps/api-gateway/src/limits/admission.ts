import type { ServerResponse } from 'node:http';
import type { TokenGrant } from '@settle/contracts';
import { callerAtAddress } from '@settle/lifecycle';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bearerToken, hashToken } from '../tokens/access-token.js';
import type { TokenGrants } from '../tokens/token-grants.js';
import type { AppCounts, AppRequests } from './app-requests.js';
import type { RateLimits } from './rate-limits.js';
import { TOO_MANY, type RequestSlots, type SlotHolder } from './request-slots.js';

const SLOT = Symbol('request slot');

type SlottedResponse = ServerResponse & { [SLOT]?: SlotHolder | null };

export interface AdmissionParts {
  readonly rateLimits: RateLimits;
  readonly slots: RequestSlots;
  readonly grants: TokenGrants;
  readonly appRequests: AppRequests;
}

/**
 * Admits or refuses requests. A request holds its slot until its handler has responded, not until the client has read
 * the response: clients that do not read would keep out all others.
 */
export class Admission {
  /** One function for all responses. */
  readonly #onClose: (this: ServerResponse) => void;

  constructor(private readonly parts: AdmissionParts) {
    const release = (response: ServerResponse): void => this.release(response);
    this.#onClose = function () {
      release(this);
    };
  }

  /**
   * Returns the grant of a request that would find no slot, as far as its headers show; otherwise null. It is refused before
   * its body is read: under overload this costs far less.
   */
  refusedEarly({ headers: { authorization } }: FastifyRequest): TokenGrant | null {
    const { slots, grants, appRequests } = this.parts;
    if (!slots.isFull || authorization === undefined) return null;
    const token = bearerToken(authorization);
    const grant = token === undefined ? undefined : grants.kept(hashToken(token));
    if (grant === undefined || !slots.refusesApp(grant.appId)) return null;
    appRequests.of(grant.appId).refused += 1;
    return grant;
  }

  /** Admits a request with a valid token. Errors: `rate_limited`, `service_unavailable`. */
  admitToken(tokenSha256: string, { appId }: TokenGrant, reply: FastifyReply): true | Promise<true> {
    const { rateLimits, slots, appRequests } = this.parts;
    const counts = appRequests.of(appId);
    try {
      rateLimits.countForToken(tokenSha256, reply);
      rateLimits.countForApp(appId, reply);
      const slot = slots.takeForApp(appId);
      return slot instanceof Promise ? this.#admitLater(slot, reply, counts) : this.#admit(slot, reply, counts);
    } catch (refusal) {
      counts.refused += 1;
      throw refusal;
    }
  }

  /** Admits a request that needs no token, such as one for a page. Errors: `rate_limited`, `service_unavailable`. */
  admitAddress({ ip }: FastifyRequest, reply: FastifyReply): true | Promise<true> {
    const slot = this.parts.slots.takeForAddress(callerAtAddress(ip));
    return slot instanceof Promise ? this.#admitLater(slot, reply, null) : this.#admit(slot, reply, null);
  }

  /** Gives back the slot of a request whose handler has answered, or whose client has gone; once. */
  release(response: ServerResponse): void {
    const slotted = response as SlottedResponse;
    const holder = slotted[SLOT];
    if (!holder) return;
    slotted[SLOT] = null;
    this.parts.slots.release(holder);
  }

  #admit(holder: SlotHolder, { raw }: FastifyReply, counts: AppCounts | null): true {
    if (raw.destroyed) {
      // The client has disconnected: no work has started, and the refusal has no reader.
      this.parts.slots.release(holder);
      throw TOO_MANY;
    }
    (raw as SlottedResponse)[SLOT] = holder;
    raw.on('close', this.#onClose);
    if (counts !== null) counts.admitted += 1;
    return true;
  }

  async #admitLater(slot: Promise<SlotHolder>, reply: FastifyReply, counts: AppCounts | null): Promise<true> {
    try {
      return this.#admit(await slot, reply, counts);
    } catch (refusal) {
      if (counts !== null) counts.refused += 1;
      throw refusal;
    }
  }
}
