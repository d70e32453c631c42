import { setImmediate as turn } from 'node:timers/promises';
import { LIMITS } from '@settle/config';
import { createLogger } from '@settle/observability';
import type { Message, MessageSender } from './message.js';
import { MessageQueue } from './message-queue.js';

const MESSAGE: Message = { kind: 'email', to: 'dora@example.com', subject: 's', text: '123456' };

/** A sender whose sends the spec completes or fails. */
class ControlledSender implements MessageSender {
  readonly pending: (() => void)[] = [];
  readonly failures: Error[] = [];

  send(): Promise<void> {
    const error = this.failures.shift();
    if (error !== undefined) return Promise.reject(error);
    return new Promise((resolve) => this.pending.push(resolve));
  }

  close(): void {
    for (const resolve of this.pending) resolve();
  }
}

function createQueue(email: MessageSender | null, phone: MessageSender | null = null) {
  const lines: string[] = [];
  const logger = createLogger({ level: 'info', service: 'spec', stream: { write: (line) => void lines.push(line) } });
  return { queue: new MessageQueue({ email, phone }, logger), lines };
}

describe('MessageQueue', () => {
  it('given no sender for a kind, when a message is queued, then the error names the setting', () => {
    const { queue } = createQueue(null);
    expect(queue.canAccept('email')).toBe(false);
    expect(() => queue.add(MESSAGE)).toThrow(/SMTP_URL/);
    expect(() => queue.assertCanAccept('phone')).toThrow(/SMS_WEBHOOK_URL/);
  });

  it('given a slow sender, when messages accumulate, then the messages in progress and the queue stay within their limits', async () => {
    const sender = new ControlledSender();
    const { queue } = createQueue(sender);
    const { messagesInProgress, messagesWaiting } = LIMITS.auth;
    for (let n = 0; n < messagesInProgress + messagesWaiting; n += 1) queue.add(MESSAGE);
    await turn();
    expect(sender.pending).toHaveLength(messagesInProgress);
    expect(() => queue.add(MESSAGE)).toThrow(/Too many messages/);
    const closing = queue.close();
    sender.close();
    await closing;
    expect(sender.pending).toHaveLength(messagesInProgress);
  });

  it('given a full e-mail queue, when a text message is queued, then it is sent right away', async () => {
    const [slow, fast] = [new ControlledSender(), new ControlledSender()];
    const { queue } = createQueue(slow, fast);
    const { messagesInProgress, messagesWaiting } = LIMITS.auth;
    for (let n = 0; n < messagesInProgress + messagesWaiting; n += 1) queue.add(MESSAGE);
    queue.add({ ...MESSAGE, kind: 'phone', to: '+14155550101' });
    await turn();
    expect(fast.pending).toHaveLength(1);
    const closing = queue.close();
    for (const sender of [slow, fast]) sender.close();
    await closing;
  });

  it('given a sender that fails once, when the message is retried, then it is sent, and the log contains no address and no code', async () => {
    const sender = new ControlledSender();
    sender.failures.push(Object.assign(new Error('No mailbox for dora@example.com'), { code: 'EENVELOPE' }));
    const { queue, lines } = createQueue(sender);
    const sent = new Promise<void>((resolve) => {
      sender.pending.push = (done) => {
        done();
        resolve();
        return 1;
      };
    });
    queue.add(MESSAGE);
    await sent;
    await queue.close();
    expect(lines.join()).toContain('EENVELOPE');
    expect(lines.join()).not.toMatch(/dora|123456/);
  });
});
