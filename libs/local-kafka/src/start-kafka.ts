import { runBroker, type KafkaOptions, type RunningKafka } from './broker.js';
import { classArchive } from './class-archive.js';
import { kafkaJars } from './kafka-jars.js';

/**
 * Starts Apache Kafka with one node that is broker and controller, on loopback, and resolves once it answers. What a
 * killed process left running on the folder is ended first. The broker hears no Ctrl-C and is killed with this
 * process. Errors: one clear line, with what it said last.
 */
export async function startKafka(options: KafkaOptions): Promise<RunningKafka> {
  const jars = await kafkaJars();
  return runBroker(jars.folder, options, await classArchive(jars));
}
