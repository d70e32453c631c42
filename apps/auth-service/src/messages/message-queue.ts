import { setTimeout as pause } from 'node:timers/promises';
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
  readonly #queued: Readonly<Record<AddressKind, Message[]>> = { email: [], phone: [] };
  readonly #running: Readonly<Record<AddressKind, Set<Promise<void>>>> = { email: new Set(), phone: new Set() };
  readonly #shutdown = new AbortController();

  constructor(
    private readonly senders: MessageSenders,
    private readonly logger: Logger,
  ) {}

  /** Whether the queue accepts another message of this kind. */
  canAccept(kind: AddressKind): boolean {
    return this.senders[kind] !== null && this.#queued[kind].length < LIMITS.auth.messagesWaiting;
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
    this.#queued[message.kind].push(message);
    this.#sendNext(message.kind);
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
    for (const messages of Object.values(this.#queued)) messages.length = 0;
    await Promise.all(Object.values(this.#running).flatMap((running) => [...running]));
    for (const sender of new Set(Object.values(this.senders))) sender?.close();
  }

  #sendNext(kind: AddressKind): void {
    const running = this.#running[kind];
    if (running.size >= LIMITS.auth.messagesInProgress) return;
    const message = this.#queued[kind].shift();
    if (message === undefined) return;
    const sending = this.#sendWithRetries(message).finally(() => {
      running.delete(sending);
      this.#sendNext(kind);
    });
    running.add(sending);
  }

  async #sendWithRetries(message: Message): Promise<void> {
    const { signal } = this.#shutdown;
    const { kind } = message;
    for (let tries = 1; tries <= LIMITS.auth.messageTries && !signal.aborted; tries += 1) {
      try {
        await this.sendNow(message);
        return;
      } catch (error) {
        const next = tries < LIMITS.auth.messageTries ? 'retrying' : 'dropping it';
        this.logger.warn({ kind, tries, fault: classifySendFault(error) }, `could not send a message; ${next}`);
      }
      await pause(LIMITS.auth.messagePauseMs, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** Returns the error's name and codes without its message, in which mail servers repeat addresses. */
export function classifySendFault(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
  return [error.name, code, responseCode].filter((part) => part !== undefined).join(' ');
}
