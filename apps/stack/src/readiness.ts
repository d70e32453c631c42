import { get } from 'node:http';
import { LIMITS } from '@settle/config';

/** Whether the process that answers for its health on a port of loopback can be given work. */
export function isReadyOn(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const { readyAnswerMs } = LIMITS.stack;
    const asked = get({ host: '127.0.0.1', port, path: '/health/ready', timeout: readyAnswerMs, agent: false });
    asked.once('response', (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    asked.once('timeout', () => asked.destroy());
    asked.once('close', () => resolve(false));
    asked.once('error', () => resolve(false));
  });
}
