import type { ErrorCode } from '@settle/contracts';
import type { CallOptions } from './client.js';

export const FORM_TYPE = 'application/x-www-form-urlencoded';

/** A request and the error with which it is rejected. */
export interface Step {
  readonly code: ErrorCode;
  readonly status: number;
  readonly path: string;
  readonly request: CallOptions;
}

export function step(code: ErrorCode, status: number, path: string, request: CallOptions): Step {
  return { code, status, path, request };
}

/** Returns the options of a request with this body as it is. */
export function raw(text: string, type = FORM_TYPE): CallOptions {
  return { raw: { type, text } };
}
