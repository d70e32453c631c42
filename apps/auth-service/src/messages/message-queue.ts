import { Semaphore, retry } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import { SettleError, type AddressKind } from '@settle/contracts';
import type { Logger } from '@settle/observability';
import type { EntityManager } from 'typeorm';
import type { Message, MessageSender } from './message.js';

/** The sender for each kind of address, or null if none is configured. */
export type MessageSenders = Readonly<Record<AddressKind, MessageSender | null>>;

const NOT_CONFIGURED = {
  email: 'This server cannot send e-mails, so it cannot verify e-mail addresses. Ask its operator to set SMTP_URL.',
  phone:
    'This server cannot send text messages, so it cannot verify phone numbers. Ask its operator to set SMS_WEBHOOK_URL.',
} as const;

const INSERT_NOTICE = 'insert into notices (kind, sent_to, subject, text) values ($1, $2, $3, $4)';

/**
 * Sends messages asynchronously, so that the response time of a page does not reveal whether a message was sent. Queued
 * codes are lost when the process ends, and the user can request a new one; notices are stored.
 */
export class MessageQueue {
  /** One queue per kind, so that a flood of one kind does not delay the other. */
  readonly #slots: Readonly<Record<AddressKind, Semaphore>> = { email: createSlots(), phone: createSlots() };
  readonly #shutdown = new AbortController();

  constructor(
    private readonly senders: MessageSenders,
    private readonly logger: Logger,
  ) {}

  /** Whether the queue accepts another message of this kind. */
  canAccept(kind: AddressKind): boolean {
    return this.senders[kind] !== null && !this.#slots[kind].isQueueFull;
  }

  /** Throws `service_unavailable` if no sender is configured for this kind, or too many messages are queued. */
  assertCanAccept(kind: AddressKind): void {
    if (this.senders[kind] === null) throw new SettleError('service_unavailable', NOT_CONFIGURED[kind]);
    if (this.canAccept(kind)) return;
    throw new SettleError('service_unavailable', 'Too many messages are waiting to be sent. Try again in a minute.', {
      retryAfterSeconds: 60,
    });
  }

  /** Queues the message. Throws the errors of `assertCanAccept`. */
  add(message: Message): void {
    this.assertCanAccept(message.kind);
    void this.#sendQueued(message);
  }

  /**
   * Stores a notice within the caller's transaction; `NoticeDelivery` sends it, also after a restart. Does nothing if no
   * sender is configured for this kind.
   */
  async addNotice(manager: EntityManager, { kind, to, subject, text }: Message): Promise<void> {
    if (this.senders[kind] === null) return;
    await manager.query(INSERT_NOTICE, [kind, to, subject, text]);
  }

  /** Sends a message without queueing it. Rejects if the sender does not accept it. */
  async sendNow(message: Message): Promise<void> {
    await this.senders[message.kind]?.send(message);
  }

  /** Drops the queued messages, waits for those in progress, and closes the senders. */
  async close(): Promise<void> {
    this.#shutdown.abort();
    await Promise.all(Object.values(this.#slots).map((slots) => slots.idle()));
    for (const sender of new Set(Object.values(this.senders))) sender?.close?.();
  }

  async #sendQueued(message: Message): Promise<void> {
    const { kind } = message;
    const { messageTries: attempts, messagePauseMs } = LIMITS.auth;
    await this.#slots[kind].acquire();
    const onError = (error: unknown, tries: number) => {
      const next = tries < attempts ? 'retrying' : 'dropping it';
      this.logger.warn({ kind, tries, fault: classifySendFault(error) }, `could not send a message; ${next}`);
    };
    const pauses = { minPauseMs: messagePauseMs, maxPauseMs: messagePauseMs };
    const options = { ...pauses, attempts, signal: this.#shutdown.signal, onError };
    // A message that is dropped is in the log, and `close` drops the queued ones.
    await retry(() => this.sendNow(message), options).catch(() => undefined);
    this.#slots[kind].release();
  }
}

function createSlots(): Semaphore {
  return new Semaphore({ slots: LIMITS.auth.messagesInProgress, waiting: LIMITS.auth.messagesWaiting });
}

/** Returns the error's name and codes without its message, in which mail servers repeat addresses. */
export function classifySendFault(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
  return [error.name, code, responseCode].filter((part) => part !== undefined).join(' ');
}
