import { get } from 'node:http';
import { LIMITS } from '@settle/config';

/** Whether the process that answers for its health on a port of loopback can be given work. */
export async function isReadyOn(port: number): Promise<boolean> {
  return (await fetchStatus(port, '/health/ready')) === 200;
}

/** Whether that process answers at all. Whether it is ready may take too long to say: it asks its database. */
export async function isRunningOn(port: number): Promise<boolean> {
  return (await fetchStatus(port, '/health/live')) !== null;
}

/** Returns null if no response comes in time. */
function fetchStatus(port: number, path: string): Promise<number | null> {
  return new Promise((resolve) => {
    const request = get({ host: '127.0.0.1', port, path, timeout: LIMITS.stack.readyAnswerMs, agent: false });
    request.once('response', (response) => resolve(response.resume().statusCode ?? null));
    request.once('timeout', () => request.destroy());
    request.once('close', () => resolve(null));
    request.once('error', () => resolve(null));
  });
}
