import { LIMITS } from '@settle/config';
import { createLogger } from '@settle/observability';
import type { Message, MessageSender } from './message.js';
import { MessageQueue } from './message-queue.js';

const MESSAGE: Message = { kind: 'email', to: 'dora@example.com', subject: 's', text: '123456' };

/** A way whose messages go or fail as the spec says. */
class Gate implements MessageSender {
  readonly taken: (() => void)[] = [];
  readonly failing: Error[] = [];

  send(): Promise<void> {
    const error = this.failing.shift();
    if (error !== undefined) return Promise.reject(error);
    return new Promise((resolve) => this.taken.push(resolve));
  }

  close(): void {
    for (const resolve of this.taken) resolve();
  }
}

function queueOf(email: MessageSender | null, phone: MessageSender | null = null) {
  const lines: string[] = [];
  const logger = createLogger({ level: 'info', service: 'spec', stream: { write: (line) => void lines.push(line) } });
  return { queue: new MessageQueue({ email, phone }, logger), lines };
}

describe('the queue of messages', () => {
  it('given no way for a kind, when asked, then it says what the operator must set', () => {
    const { queue } = queueOf(null);
    expect(queue.isOpen('email')).toBe(false);
    expect(() => queue.add(MESSAGE)).toThrow(/SMTP_URL/);
    expect(() => queue.refuseUnlessOpen('phone')).toThrow(/SMS_WEBHOOK_URL/);
  });

  it('given a slow way, when messages pile up, then few are on their way and no more wait than may', async () => {
    const gate = new Gate();
    const { queue } = queueOf(gate);
    const { messagesInProgress, messagesWaiting } = LIMITS.auth;
    for (let n = 0; n < messagesInProgress + messagesWaiting; n += 1) queue.add(MESSAGE);
    expect(gate.taken).toHaveLength(messagesInProgress);
    expect(() => queue.add(MESSAGE)).toThrow(/Too many messages/);
    const closing = queue.close();
    gate.close();
    await closing;
    expect(gate.taken).toHaveLength(messagesInProgress);
  });

  it('given a flood of e-mails that do not leave, when a text message is sent, then it leaves at once', async () => {
    const [slow, quick] = [new Gate(), new Gate()];
    const { queue } = queueOf(slow, quick);
    const { messagesInProgress, messagesWaiting } = LIMITS.auth;
    for (let n = 0; n < messagesInProgress + messagesWaiting; n += 1) queue.add(MESSAGE);
    queue.add({ ...MESSAGE, kind: 'phone', to: '+14155550101' });
    expect(quick.taken).toHaveLength(1);
    const closing = queue.close();
    for (const gate of [slow, quick]) gate.close();
    await closing;
  });

  it('given a way that fails once, when it is tried again, then it goes, and the log tells no address and no code', async () => {
    const gate = new Gate();
    gate.failing.push(Object.assign(new Error('No mailbox for dora@example.com'), { code: 'EENVELOPE' }));
    const { queue, lines } = queueOf(gate);
    const gone = new Promise<void>((resolve) => {
      gate.taken.push = (done) => {
        done();
        resolve();
        return 1;
      };
    });
    queue.add(MESSAGE);
    await gone;
    await queue.close();
    expect(lines.join()).toContain('EENVELOPE');
    expect(lines.join()).not.toMatch(/dora|123456/);
  });
});
