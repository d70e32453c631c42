import { setTimeout as pause } from 'node:timers/promises';
import { LIMITS } from '@settle/config';
import { SettleError, type AddressKind } from '@settle/contracts';
import type { Logger } from '@settle/observability';
import type { EntityManager } from 'typeorm';
import type { Message, MessageSender } from './message.js';

/** The way for each kind; null: there is none. */
export type MessageSenders = Readonly<Record<AddressKind, MessageSender | null>>;

const LACKS = {
  email: 'This server cannot send e-mails, so no address can be proven. Ask its operator to set SMTP_URL.',
  phone: 'This server cannot send text messages, so no phone can be proven. Ask its operator to set SMS_WEBHOOK_URL.',
} as const;

const ADD_NOTICE = 'insert into notices (kind, sent_to, subject, text) values ($1, $2, $3, $4)';

/**
 * Sends messages behind the back of whoever caused them: how long a page takes does not tell whether somebody was
 * written to. A code that waits when the process ends is lost, and can be asked for again; notices are stored.
 */
export class MessageQueue {
  /** Of each kind its own, so that a flood of one delays no other. */
  readonly #waiting: Readonly<Record<AddressKind, Message[]>> = { email: [], phone: [] };
  readonly #running: Readonly<Record<AddressKind, Set<Promise<void>>>> = { email: new Set(), phone: new Set() };
  readonly #stopping = new AbortController();

  constructor(
    private readonly senders: MessageSenders,
    private readonly logger: Logger,
  ) {}

  /** Whether a message of this kind would be taken on. */
  isOpen(kind: AddressKind): boolean {
    return this.senders[kind] !== null && this.#waiting[kind].length < LIMITS.auth.messagesWaiting;
  }

  /** Error: `service_unavailable` when messages of this kind cannot leave at all, or too many wait. */
  refuseUnlessOpen(kind: AddressKind): void {
    if (this.senders[kind] === null) throw new SettleError('service_unavailable', LACKS[kind]);
    if (this.isOpen(kind)) return;
    throw new SettleError('service_unavailable', 'Too many messages wait to be sent. Try again in a minute.', {
      retryAfterSeconds: 60,
    });
  }

  /** Takes the message on. Errors: those of `refuseUnlessOpen`. */
  add(message: Message): void {
    this.refuseUnlessOpen(message.kind);
    this.#waiting[message.kind].push(message);
    this.#sendNext(message.kind);
  }

  /**
   * Stores a notice, within a transaction; `NoticeDelivery` sends it, over every restart. Does nothing where messages of
   * this kind cannot leave at all.
   */
  async addNotice(manager: EntityManager, { kind, to, subject, text }: Message): Promise<void> {
    if (this.senders[kind] === null) return;
    await manager.query(ADD_NOTICE, [kind, to, subject, text]);
  }

  /** Sends a message now. Rejects when it was not taken on. */
  async deliver(message: Message): Promise<void> {
    await this.senders[message.kind]?.send(message);
  }

  /** Leaves what is not sent yet. */
  async close(): Promise<void> {
    this.#stopping.abort();
    for (const messages of Object.values(this.#waiting)) messages.length = 0;
    await Promise.all(Object.values(this.#running).flatMap((running) => [...running]));
    for (const sender of new Set(Object.values(this.senders))) sender?.close();
  }

  #sendNext(kind: AddressKind): void {
    const running = this.#running[kind];
    if (running.size >= LIMITS.auth.messagesInProgress) return;
    const message = this.#waiting[kind].shift();
    if (message === undefined) return;
    const sending = this.#send(message).finally(() => {
      running.delete(sending);
      this.#sendNext(kind);
    });
    running.add(sending);
  }

  async #send(message: Message): Promise<void> {
    const { signal } = this.#stopping;
    const { kind } = message;
    for (let tries = 1; tries <= LIMITS.auth.messageTries && !signal.aborted; tries += 1) {
      try {
        await this.deliver(message);
        return;
      } catch (error) {
        // Mail servers repeat addresses in what they say, so only the kind of fault is told.
        this.logger.warn({ kind, tries, fault: faultOf(error) }, 'A message could not be sent');
      }
      await pause(LIMITS.auth.messagePauseMs, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** Returns what kind of fault kept a message from being sent, without what the server said: it repeats addresses. */
export function faultOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
  return [error.name, code, responseCode].filter((part) => part !== undefined).join(' ');
}
