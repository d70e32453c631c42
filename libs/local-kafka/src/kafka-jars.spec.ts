import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { kafkaJars } from './kafka-jars.js';

describe('kafkaJars', () => {
  let folder: string;

  /** An environment whose `java` reports a version and whose `mvn` does what the spec says, with an empty cache. */
  async function withMaven(script: string): Promise<NodeJS.ProcessEnv> {
    const programs = {
      java: `echo 'openjdk version "21.0.1"'`,
      mvn: `case "$1" in -version) echo 'Apache Maven 3.9.9';; *) ${script};; esac`,
    };
    for (const [name, text] of Object.entries(programs)) {
      const file = join(folder, name);
      await writeFile(file, `#!/bin/sh\n${text}\n`);
      await chmod(file, 0o755);
    }
    const path = `${folder}${delimiter}${process.env['PATH'] ?? ''}`;
    return { ...process.env, PATH: path, XDG_CACHE_HOME: join(folder, 'cache') };
  }

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'settle-jars-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('given a Maven that cannot fetch, when Kafka is needed, then the error gives its reason and what to do', async () => {
    const reason = 'Could not transfer artifact org.apache.kafka:kafka_2.13: Connection refused';
    const env = await withMaven(
      `printf '\\033[0m[ERROR] ${reason} -> [Help 1]\\n'; echo '[ERROR] Re-run Maven using the -X switch'; exit 1`,
    );
    const failed = kafkaJars(env);
    await expect(failed).rejects.toThrow(reason);
    await expect(failed).rejects.toThrow(/mirror in ~\/\.m2\/settings\.xml/);
    await expect(failed).rejects.not.toThrow(/Command failed|-X switch|Help 1/);
    expect(await readdir(join(folder, 'cache', 'settle'))).toEqual([]);
  });

  it('given a Maven that fetches, when Kafka is needed, then its jars are in the cache', async () => {
    const env = await withMaven('mkdir lib && touch lib/kafka.jar');
    const { folder: jars, javaVersion } = await kafkaJars(env);
    expect(await readdir(jars)).toEqual(['kafka.jar']);
    expect(javaVersion).toBe('21.0.1');
  });
});
