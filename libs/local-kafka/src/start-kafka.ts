import { mkdtemp, open, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { runBroker, type KafkaOptions, type RunningKafka } from './broker.js';
import { kafkaJars, type KafkaJars } from './kafka-jars.js';

/**
 * Starts Apache Kafka with one node that is broker and controller, on loopback, and resolves once it accepts
 * connections. A broker that a killed process left running on the folder is ended first. The broker gets no Ctrl-C and
 * is killed with this process. Errors: one line with the last output of the broker.
 * @param version of Kafka; by default the one that the product is developed with
 */
export async function startKafka(options: KafkaOptions, version?: string): Promise<RunningKafka> {
  const jars = await kafkaJars(process.env, version);
  return runBroker(jars.folder, options, await classArchive(jars));
}

/**
 * Creates, beside the jars, the archive that halves the start time of a broker: its classes as this version of Java has
 * them in memory (50 MB). A broker that starts and stops for nothing else makes it once, which takes some seconds. If that
 * fails, brokers start without it.
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
    // If this version of Java makes none, the next starts do not try again.
    if ((await sizeOf(made)) === null) await writeFile(made, '');
    await syncToDisk(made);
    await rename(made, archive);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Java verifies every byte of the archive that it loads, and crashes if the last ones are missing. */
async function syncToDisk(file: string): Promise<void> {
  await using handle = await open(file);
  await handle.sync();
}

/** Returns null if there is no such file. */
async function sizeOf(file: string): Promise<number | null> {
  return (await stat(file).catch(() => null))?.size ?? null;
}
