import { execFile, type ExecFileException } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { answers, javaVersion } from './java.js';

const run = promisify(execFile);

const KAFKA_VERSION = '4.3.1';
const DOWNLOAD_TIMEOUT_MS = 300_000;

const SERVER = ['kafka_2.13'];
/** A worker of Kafka Connect with Kafka's own file connector and transforms. */
const CONNECT = ['connect-runtime', 'connect-file', 'connect-transforms'];

/** Kafka's own artifacts and a minimal logger; Maven resolves their dependencies. */
const pomOf = (version: string, artifacts: readonly string[]) => `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>settle</groupId>
  <artifactId>local-kafka</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>${artifacts
    .map(
      (artifact) => `
    <dependency>
      <groupId>org.apache.kafka</groupId>
      <artifactId>${artifact}</artifactId>
      <version>${version}</version>
    </dependency>`,
    )
    .join('')}
    <dependency>
      <groupId>org.slf4j</groupId>
      <artifactId>slf4j-simple</artifactId>
      <version>1.7.36</version>
    </dependency>
  </dependencies>
</project>
`;

type MavenError = ExecFileException & { readonly stdout?: string };

export interface KafkaJars {
  readonly folder: string;
  /** The version of the Java that runs them, such as `17.0.15`. */
  readonly javaVersion: string;
}

/**
 * Returns Apache Kafka's jars, which Maven downloads once into the user's cache.
 * @param env names the folders of the programs and of the cache
 * @param version of Kafka
 * @throws one line that says what to install, or why Maven could not fetch them and what to do
 */
export function kafkaJars(env: NodeJS.ProcessEnv = process.env, version: string = KAFKA_VERSION): Promise<KafkaJars> {
  return fetchJars(`kafka-${version}`, env, pomOf(version, SERVER));
}

/** Returns the jars of Kafka Connect, as `kafkaJars` returns those of the server. */
export function connectJars(env: NodeJS.ProcessEnv = process.env): Promise<KafkaJars> {
  return fetchJars(`kafka-connect-${KAFKA_VERSION}`, env, pomOf(KAFKA_VERSION, CONNECT));
}

/** @param name of the folder in the cache */
async function fetchJars(name: string, env: NodeJS.ProcessEnv, pom: string): Promise<KafkaJars> {
  const jars = join(env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'settle', name);
  const found = { folder: jars, javaVersion: await javaVersion(env) };
  if (existsSync(jars)) return found;
  if (!(await answers('mvn', env))) throw new Error('Kafka is fetched by Maven: install it (Debian: maven)');
  await mkdir(dirname(jars), { recursive: true });
  const folder = await mkdtemp(`${jars}-`);
  try {
    await writeFile(join(folder, 'pom.xml'), pom);
    const goal = ['-q', '-B', 'dependency:copy-dependencies', '-DincludeScope=runtime', '-DoutputDirectory=lib'];
    await run('mvn', goal, { cwd: folder, env, timeout: DOWNLOAD_TIMEOUT_MS }).catch((error: MavenError) =>
      explainMaven(error, name),
    );
    // Atomic. Another process that fetched the jars at the same time has the same ones.
    await rename(join(folder, 'lib'), jars).catch((error: unknown) => {
      if (!existsSync(jars)) throw error;
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return found;
}

/**
 * Maven writes errors to standard output, after a code for the terminal. The first one is the reason; the others are
 * advice on its flags.
 */
function explainMaven(error: MavenError, name: string): never {
  const [, reason] = /\[(?:ERROR|FATAL)\] (.+?)(?: -> \[Help \d+\])?$/m.exec(error.stdout ?? '') ?? [];
  const why = reason ?? (error.killed === true ? `no end after ${DOWNLOAD_TIMEOUT_MS / 1_000} s` : error.message);
  throw new Error(
    `Maven could not fetch ${name}: ${why}\n` +
      'Check that this machine reaches Maven Central, or name a mirror in ~/.m2/settings.xml, and try again',
    { cause: error },
  );
}
