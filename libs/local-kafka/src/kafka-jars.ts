import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { answers, javaVersion } from './java.js';

const run = promisify(execFile);

const KAFKA_VERSION = '4.3.1';
const DOWNLOAD_TIMEOUT_MS = 300_000;

/** Kafka's server and the plainest of loggers; Maven finds what they need. */
const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>settle</groupId>
  <artifactId>local-kafka</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>org.apache.kafka</groupId>
      <artifactId>kafka_2.13</artifactId>
      <version>${KAFKA_VERSION}</version>
    </dependency>
    <dependency>
      <groupId>org.slf4j</groupId>
      <artifactId>slf4j-simple</artifactId>
      <version>1.7.36</version>
    </dependency>
  </dependencies>
</project>
`;

export interface KafkaJars {
  readonly folder: string;
  /** Of the Java that is to run them, such as `17.0.15`. */
  readonly javaVersion: string;
}

/**
 * Apache Kafka's jars, fetched once through Maven and kept in the user's cache.
 * @throws one line that says what to install
 */
export async function kafkaJars(): Promise<KafkaJars> {
  const jars = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'settle', `kafka-${KAFKA_VERSION}`);
  const found = { folder: jars, javaVersion: await javaVersion() };
  if (existsSync(jars)) return found;
  if (!(await answers('mvn'))) throw new Error('Kafka is fetched by Maven: install it (Debian: maven)');
  await mkdir(dirname(jars), { recursive: true });
  const folder = await mkdtemp(`${jars}-`);
  try {
    await writeFile(join(folder, 'pom.xml'), POM);
    const goal = ['-q', '-B', 'dependency:copy-dependencies', '-DincludeScope=runtime', '-DoutputDirectory=lib'];
    await run('mvn', goal, { cwd: folder, timeout: DOWNLOAD_TIMEOUT_MS });
    // Whole or not at all. Whoever else fetched meanwhile has the same.
    await rename(join(folder, 'lib'), jars).catch((error: unknown) => {
      if (!existsSync(jars)) throw error;
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return found;
}
