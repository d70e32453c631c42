import { execFile, type ExecFileException } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const OLDEST_JAVA = 17;
const TIMEOUT_MS = 60_000;
const LOGGING = '-Dorg.slf4j.simpleLogger.defaultLogLevel=error';

/** The JVM compiles less: it starts sooner and uses less CPU in its first ten seconds. */
export const QUICK_START = ['-XX:TieredStopAtLevel=1'];
export const BROKER_JVM = ['-Xms256m', '-Xmx256m', '-XX:+UseSerialGC', '-XX:MaxDirectMemorySize=64m', LOGGING];

/** Returns the version of the installed Java, such as `17.0.15`. Errors: one line that says what to install. */
export async function javaVersion(env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const [, version, major] = /version "((\d+)[^"]*)"/.exec((await answers('java', env)) ?? '') ?? [];
  if (version === undefined || Number(major) < OLDEST_JAVA)
    throw new Error(`Kafka needs Java ${OLDEST_JAVA} or newer: install a JDK or JRE (Debian: default-jre-headless)`);
  return version;
}

/** Returns the version output of a program, or null if it is not installed. */
export async function answers(program: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  try {
    const { stdout, stderr } = await promisify(execFile)(program, ['-version'], { env });
    return stdout + stderr;
  } catch {
    return null;
  }
}

/**
 * Runs a program of the jars to its end. Error: how it ended, with both outputs, because the JVM reports a lack of
 * memory on its standard output.
 */
export async function java(jars: string, args: readonly string[]): Promise<void> {
  const all = ['-Xmx128m', ...QUICK_START, LOGGING, '-cp', join(jars, '*'), ...args];
  try {
    await promisify(execFile)('java', all, { timeout: TIMEOUT_MS });
  } catch (error) {
    const { code, signal, stdout, stderr } = error as ExecFileException & { stdout: string; stderr: string };
    const output = `${stdout}${stderr}`.trim().slice(-2_000);
    throw new Error(`java ${args.join(' ')} ended (${String(signal ?? code)}): ${output}`, { cause: error });
  }
}
