import type { Message, MessageSender } from './message.js';

/** A way for messages, and what comes out at its other end. */
export interface SenderUnderTest {
  readonly sender: MessageSender;
  readonly kind: Message['kind'];
  /** What has arrived, as text that holds all that was said. */
  arrived(): Promise<string[]>;
  /** From now on whoever takes messages on says no; absent: that cannot be had. */
  refuse?(): void;
  stop(): Promise<void>;
}

/** What every way for messages keeps to. */
export function describeMessageSender(name: string, start: () => Promise<SenderUnderTest>): void {
  describe(name, () => {
    let under: SenderUnderTest;
    beforeAll(async () => {
      under = await start();
    });
    afterAll(() => under.stop());

    const message = (text: string): Message => ({
      kind: under.kind,
      to: under.kind === 'email' ? 'Dora.Dane@example.com' : '+14155550199',
      subject: 'About 123456',
      text,
    });

    it('given a message, when it is sent, then it has arrived once, with its recipient and every character', async () => {
      await under.sender.send(message('123456 is your code.\nGrüße, 世界'));
      const arrived = await under.arrived();
      expect(arrived).toHaveLength(1);
      expect(arrived[0]).toContain(message('').to);
      expect(arrived[0]).toContain('123456 is your code.');
      expect(arrived[0]).toContain('Grüße, 世界');
    });

    it('given several at once, when they are sent, then all arrive', async () => {
      const texts = ['one', 'two', 'three'].map((word) => `the ${word}`);
      await Promise.all(texts.map((text) => under.sender.send(message(text))));
      const arrived = await under.arrived();
      for (const text of texts) expect(arrived.filter((whole) => whole.includes(text))).toHaveLength(1);
    });

    it('given somebody who takes none on, when one is sent, then that is told, without what it says', async () => {
      if (under.refuse === undefined) return;
      under.refuse();
      const error: unknown = await under.sender.send(message('the secret')).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(Error);
      expect(String(error)).not.toContain('secret');
    });
  });
}
