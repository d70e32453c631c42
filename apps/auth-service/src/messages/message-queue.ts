import { setTimeout as pause } from 'node:timers/promises';
import { LIMITS } from '@settle/config';
import { SettleError, type AddressKind } from '@settle/contracts';
import type { Logger } from '@settle/observability';
import type { Message, MessageSender } from './message.js';

/** The way for each kind; null: there is none. */
export type MessageSenders = Readonly<Record<AddressKind, MessageSender | null>>;

const LACKS = {
  email: 'This server cannot send e-mails, so no address can be proven. Ask its operator to set SMTP_URL.',
  phone: 'This server cannot send text messages, so no phone can be proven. Ask its operator to set SMS_WEBHOOK_URL.',
} as const;

/**
 * Sends messages behind the back of whoever caused them: how long a page takes does not tell whether somebody was
 * written to. What waits when the process ends is lost; a code can be asked for again.
 */
export class MessageQueue {
  readonly #waiting: Message[] = [];
  readonly #running = new Set<Promise<void>>();
  readonly #stopping = new AbortController();

  constructor(
    private readonly senders: MessageSenders,
    private readonly logger: Logger,
  ) {}

  /** Whether a message of this kind would be taken on. */
  isOpen(kind: AddressKind): boolean {
    return this.senders[kind] !== null && this.#waiting.length < LIMITS.auth.messagesWaiting;
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
    this.#waiting.push(message);
    this.#sendNext();
  }

  /** Leaves what is not sent yet. */
  async close(): Promise<void> {
    this.#stopping.abort();
    this.#waiting.length = 0;
    await Promise.all(this.#running);
    for (const sender of new Set(Object.values(this.senders))) sender?.close();
  }

  #sendNext(): void {
    if (this.#running.size >= LIMITS.auth.messagesInProgress) return;
    const message = this.#waiting.shift();
    if (message === undefined) return;
    const sending = this.#send(message).finally(() => {
      this.#running.delete(sending);
      this.#sendNext();
    });
    this.#running.add(sending);
  }

  async #send(message: Message): Promise<void> {
    const { signal } = this.#stopping;
    const { kind } = message;
    for (let tries = 1; tries <= LIMITS.auth.messageTries && !signal.aborted; tries += 1) {
      try {
        await this.senders[kind]?.send(message);
        return;
      } catch (error) {
        // Mail servers repeat addresses in what they say, so only the kind of fault is told.
        this.logger.warn({ kind, tries, fault: faultOf(error) }, 'A message could not be sent');
      }
      await pause(LIMITS.auth.messagePauseMs, undefined, { signal }).catch(() => undefined);
    }
  }
}

function faultOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
  return [error.name, code, responseCode].filter((part) => part !== undefined).join(' ');
}
