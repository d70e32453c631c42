import type { AddressKind } from '@settle/contracts';

/** What somebody is told outside the pages. Holds addresses and codes: never log it. */
export interface Message {
  readonly kind: AddressKind;
  /** An e-mail as its owner spells it, a phone in E.164. */
  readonly to: string;
  /** Of an e-mail; a text message has none. */
  readonly subject: string;
  readonly text: string;
}

/** A way by which messages of one kind leave. */
export interface MessageSender {
  /** Resolves when somebody has taken the message on. Rejects, within `messageWaitMs`, when nobody has; then it may be tried again. */
  send(message: Message): Promise<void>;
  close(): void;
}
