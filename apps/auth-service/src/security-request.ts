import { createHmac } from 'node:crypto';
import { callerAtAddress } from '@settle/lifecycle';
import type { SecurityRequest } from '@settle/observability';
import { currentRequest, type RequestContext } from './request-context.js';

/** 128 bits: two visitors never share a hash by chance. */
const HASH_BYTES = 16;

/**
 * Returns what the security log says about a request. The client's address and browser stand there as keyed hashes
 * (HMAC-SHA-256, cut to 128 bits): lines of one visitor can be joined, and without the key neither can be found by trying
 * all addresses. An IPv6 address counts by its network of 64 bits, of which one visitor has every address.
 */
export function securityRequestOf(key: Buffer, { requestId, address, userAgent }: RequestContext): SecurityRequest {
  return {
    requestId,
    addressHash: keyedHash(key, 'address', callerAtAddress(address)),
    browserHash: userAgent === undefined ? undefined : keyedHash(key, 'browser', userAgent),
  };
}

/** Returns a function that gives the same for the request that is being answered, undefined outside of one. */
export function currentSecurityRequest(key: Buffer): () => SecurityRequest | undefined {
  return () => {
    const request = currentRequest();
    return request && securityRequestOf(key, request);
  };
}

/** The kind is part of what is hashed: a browser that calls itself an address does not get that address's hash. */
function keyedHash(key: Buffer, kind: 'address' | 'browser', value: string): string {
  const digest = createHmac('sha256', key).update(`${kind}\0${value}`).digest();
  return digest.subarray(0, HASH_BYTES).toString('base64url');
}
