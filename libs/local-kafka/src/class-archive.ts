import { mkdtemp, open, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { runBroker } from './broker.js';
import type { KafkaJars } from './kafka-jars.js';

/**
 * Creates the archive that halves the start time of a broker: its classes as this Java has them in memory, beside the jars
 * (50 MB). Made once, by a broker that starts and stops for nothing else (some seconds). Where that does not succeed
 * it starts without: none of its answers differ.
 * @returns arguments for the JVM
 */
export async function classArchive({ folder, javaVersion }: KafkaJars): Promise<string[]> {
  const archive = `${folder}-java-${javaVersion}.jsa`;
  if ((await sizeOf(archive)) === null) await makeArchive(folder, archive).catch(() => undefined);
  return ((await sizeOf(archive)) ?? 0) > 0 ? [`-XX:SharedArchiveFile=${archive}`, '-XX:+VerifySharedSpaces'] : [];
}

async function makeArchive(jars: string, archive: string): Promise<void> {
  const folder = await mkdtemp(join(dirname(archive), `.${basename(archive)}-`));
  try {
    const made = join(folder, 'made.jsa');
    const broker = await runBroker(jars, { dataDir: folder, port: null }, [`-XX:ArchiveClassesAtExit=${made}`]);
    await broker.stop();
    // A Java that makes none is not asked at every start.
    if ((await sizeOf(made)) === null) await writeFile(made, '');
    await untilOnDisk(made);
    await rename(made, archive);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Java looks at every byte of what it loads, yet ends where the last ones are not there. */
async function untilOnDisk(file: string): Promise<void> {
  const handle = await open(file);
  await handle.sync();
  await handle.close();
}

async function sizeOf(file: string): Promise<number | null> {
  return stat(file).then(
    ({ size }) => size,
    () => null,
  );
}
