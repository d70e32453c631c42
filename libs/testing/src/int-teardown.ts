import { rm } from 'node:fs/promises';

/** Stops the PostgreSQL of `int-setup.ts` and removes its data. */
export default async function stopServerOfSpecs(): Promise<void> {
  const running = globalThis.settleTestServer;
  if (running === undefined) return;
  await running.server.stop();
  await rm(running.folder, { recursive: true, force: true });
}
