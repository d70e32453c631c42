import { once } from 'node:events';
import { rm } from 'node:fs/promises';

/** Stops the product of `e2e-setup.ts`, which must end cleanly, and removes its data. */
export default async function stopProduct(): Promise<void> {
  const running = globalThis.settleProduct;
  if (running === undefined) return;
  if (running.child.exitCode === null) {
    const ended = once(running.child, 'exit');
    running.child.kill('SIGTERM');
    await ended;
  }
  await rm(running.folder, { recursive: true, force: true });
}
