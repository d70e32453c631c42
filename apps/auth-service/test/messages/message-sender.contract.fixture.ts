import type { Message, MessageSender } from '../../src/messages/message.js';

/** A message sender together with its receiving end. */
export interface SenderUnderTest {
  readonly sender: MessageSender;
  readonly kind: Message['kind'];
  /** Returns the received messages, each as one text with recipient and content. */
  listReceived(): Promise<string[]>;
  /** Makes the receiving end reject messages from now on. Undefined if it cannot. */
  rejectAll?(): void;
  stop(): Promise<void>;
}

/** Runs the contract of message senders. */
export function describeMessageSender(name: string, start: () => Promise<SenderUnderTest>): void {
  describe(name, () => {
    let subject: SenderUnderTest;
    beforeAll(async () => {
      subject = await start();
    });
    afterAll(() => subject.stop());

    const message = (text: string): Message => ({
      kind: subject.kind,
      to: subject.kind === 'email' ? 'Dora.Dane@example.com' : '+14155550199',
      subject: 'About 123456',
      text,
    });

    it('given a message, when it is sent, then it arrives once with its recipient and every character', async () => {
      await subject.sender.send(message('123456 is your code.\nGrüße, 世界'));
      const received = await subject.listReceived();
      expect(received).toHaveLength(1);
      expect(received[0]).toContain(message('').to);
      expect(received[0]).toContain('123456 is your code.');
      expect(received[0]).toContain('Grüße, 世界');
    });

    it('given several messages, when they are sent concurrently, then all arrive', async () => {
      const texts = ['one', 'two', 'three'].map((word) => `the ${word}`);
      await Promise.all(texts.map((text) => subject.sender.send(message(text))));
      const received = await subject.listReceived();
      for (const text of texts) expect(received.filter((whole) => whole.includes(text))).toHaveLength(1);
    });

    it('given a receiver that rejects messages, when one is sent, then the error does not contain its text', async () => {
      if (subject.rejectAll === undefined) return;
      subject.rejectAll();
      const error: unknown = await subject.sender.send(message('the secret')).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(Error);
      expect(String(error)).not.toContain('secret');
    });
  });
}
