import { rmSync } from 'node:fs';

/** Stops what the setup started, and nothing that ran before. */
export default async function tearDown(): Promise<void> {
  const under = globalThis.settleUnderTest;
  if (under === undefined) return;
  await under.product.stop();
  rmSync(under.dataDir, { recursive: true, force: true });
}
