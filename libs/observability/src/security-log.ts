import type { Logger } from './logger.js';
import type { Metrics } from './metrics.js';
import { SECURITY_EVENTS, type SecurityEvent } from './security-events.js';

const KINDS = ['sign-up', 'reset', 'email', 'phone', 'code', 'refresh_token', 'trial'] as const;

/** The fields of a line: only ids and fixed words; null or absent if unknown. */
export interface SecurityFacts {
  readonly userId?: string | null | undefined;
  /** The operator who used the admin command. */
  readonly operator?: string;
  readonly appId?: string | null | undefined;
  readonly authorizationId?: string | undefined;
  readonly kind?: (typeof KINDS)[number];
  readonly scopes?: readonly string[];
  readonly flags?: Readonly<Record<string, boolean>>;
  readonly count?: number;
}

const isText = (form: RegExp) => (value: unknown) => typeof value === 'string' && form.test(value);
const isWordedId = isText(/^(?=.*[a-z])[\w-]{1,40}$/i);
const isDecimal = isText(/^[1-9]\d{0,9}$/);
const isWord = isText(/^[a-z][a-z_-]{0,39}$/);

/**
 * The form of each fact: shorter than a token and unlike an address, a phone number or a code, so that a value in the
 * wrong field is not written.
 */
const FORMS: Readonly<Record<keyof SecurityFacts, (value: unknown) => boolean>> = {
  userId: isText(/^\d{18,19}$/),
  operator: isText(/^[\w.-]{1,64}$/),
  // A number has at most 31 bits, which few phone numbers fit.
  appId: (value) => isWordedId(value) || (isDecimal(value) && Number(value) < 2 ** 31),
  authorizationId: isText(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/),
  kind: (value) => KINDS.some((kind) => kind === value),
  scopes: (value) => Array.isArray(value) && value.every(isWord),
  flags: (value) => Object.entries(value as object).every(([name, flag]) => isWord(name) && typeof flag === 'boolean'),
  count: Number.isSafeInteger,
};

/** The request that caused an event. */
export interface SecurityRequest {
  readonly requestId: string | undefined;
  /** Keyed hash of the client's address, 22 characters. */
  readonly addressHash: string;
  /** Keyed hash of the client's `User-Agent`; undefined: it sent none. */
  readonly browserHash: string | undefined;
}

export interface SecurityLogOptions {
  readonly logger: Logger;
  /** Absent: nothing is counted. */
  readonly metrics?: Metrics | undefined;
  /** Returns the current request; absent if the process serves none. */
  readonly request?: () => SecurityRequest | undefined;
}

/** Writes one line for each change of access rights and each refusal, and counts them. */
export class SecurityLog {
  readonly #counts = new Map<SecurityEvent, number>();
  readonly #logger: Logger;

  constructor(private readonly options: SecurityLogOptions) {
    // Every line is written, however few lines of other kinds `LOG_LEVEL` lets through.
    this.#logger = options.logger.child({}, { level: 'info' });
    for (const event of Object.keys(SECURITY_EVENTS) as SecurityEvent[]) {
      if (SECURITY_EVENTS[event].writtenBy === 'auth-service') this.#counts.set(event, 0);
    }
    options.metrics?.register('securityEvents', () => [...this.#counts].map(([event, count]) => [{ event }, count]));
  }

  /** Called after the event has happened. Never throws. */
  write(event: SecurityEvent, facts: SecurityFacts = {}): void {
    const { level, message } = SECURITY_EVENTS[event];
    const shown = Object.entries(facts).filter(
      ([name, value]) => value !== null && value !== undefined && FORMS[name as keyof SecurityFacts]?.(value),
    );
    this.#counts.set(event, (this.#counts.get(event) ?? 0) + 1);
    const request = this.options.request?.();
    this.#logger[level]({ securityEvent: event, ...request, ...Object.fromEntries(shown) }, message);
  }
}
