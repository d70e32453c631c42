import { createHmac } from 'node:crypto';
import { callerAtAddress } from '@settle/lifecycle';
import type { SecurityRequest } from '@settle/observability';
import { getCurrentRequest, type RequestContext } from './request-context.js';

/** 128 bits: two visitors never share a hash by chance. */
const HASH_BYTES = 16;

/**
 * Returns the request fields of the security log. The client's address and browser are keyed hashes (HMAC-SHA-256, cut
 * to 128 bits): lines of one visitor can be joined, and without the key the hashes cannot be reversed by trying all
 * addresses. An IPv6 address is hashed as its /64 network, of which one visitor has every address.
 */
export function buildSecurityRequest(key: Buffer, { requestId, address, userAgent }: RequestContext): SecurityRequest {
  return {
    requestId,
    addressHash: computeKeyedHash(key, 'address', callerAtAddress(address)),
    browserHash: userAgent === undefined ? undefined : computeKeyedHash(key, 'browser', userAgent),
  };
}

/** Returns a function that builds these fields for the current request, or returns undefined outside of a request. */
export function createSecurityRequestReader(key: Buffer): () => SecurityRequest | undefined {
  return () => {
    const request = getCurrentRequest();
    return request && buildSecurityRequest(key, request);
  };
}

/** Includes the kind, so that a `User-Agent` equal to an address has a different hash. */
function computeKeyedHash(key: Buffer, kind: 'address' | 'browser', value: string): string {
  const digest = createHmac('sha256', key).update(`${kind}\0${value}`).digest();
  return digest.subarray(0, HASH_BYTES).toString('base64url');
}
