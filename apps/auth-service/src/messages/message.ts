import type { AddressKind } from '@settle/contracts';

/** An e-mail or text message to a user. It contains addresses and codes: never log it. */
export interface Message {
  readonly kind: AddressKind;
  /** An e-mail in the user's spelling, or a phone number in E.164. */
  readonly to: string;
  /** Used only in e-mails. */
  readonly subject: string;
  readonly text: string;
}

/** Sends messages of one kind. */
export interface MessageSender {
  /** Resolves once the provider accepts the message. Rejects within `messageWaitMs` otherwise; the caller may retry. */
  send(message: Message): Promise<void>;
  close?(): void;
}
