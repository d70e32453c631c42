import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { kafkaAcls } from '@settle/contracts';
import { PUBLIC_TOPICS } from '../libs/contracts/src/public-events/public-topics.js';

const scripts = path.join(path.dirname(import.meta.dirname), 'deploy/kafka');
const folder = mkdtempSync(path.join(tmpdir(), 'settle-acls-'));
const command = path.join(folder, 'kafka-acls.sh');

beforeAll(() => writeFileSync(command, '#!/bin/sh\necho "$@"\n', { mode: 0o755 }));
afterAll(() => rmSync(folder, { recursive: true }));

/** Returns the arguments of each call of `kafka-acls.sh` that the script makes. */
function callsOf(script: string, env: Readonly<Record<string, string>> = {}): string[] {
  const { stdout, stderr, status } = spawnSync('sh', [path.join(scripts, script)], {
    env: { PATH: process.env['PATH'], KAFKA_ACLS: `${command} --bootstrap-server broker:9092`, ...env },
    encoding: 'utf8',
  });
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  return stdout.trim().split('\n');
}

describe('the scripts that give rights on Kafka', () => {
  it('given the rights that kafka-setup grants, when the scripts of the services run, then they grant the same ones', () => {
    const expected = kafkaAcls('blue.').map(({ principal, resource, name, isPrefix, operation }) => {
      const pattern = isPrefix ? ' --resource-pattern-type prefixed' : '';
      const word = `${operation[0]?.toUpperCase()}${operation.slice(1)}`;
      const who = `--bootstrap-server broker:9092 --add --force --allow-principal User:${principal}`;
      return `${who} --operation ${word} --${resource} ${name}${pattern}`;
    });
    const services = readdirSync(scripts).filter((file) => file !== 'analysts.sh');
    const granted = services.flatMap((script) => callsOf(script, { KAFKA_TOPIC_PREFIX: 'blue.' }));
    expect(granted.toSorted()).toEqual(expected.toSorted());
  });

  it('given analysts, when their script runs, then they read the public topics and no other one', () => {
    const calls = callsOf('analysts.sh', { PRINCIPAL: 'CN=reports' });
    expect(calls.every((call) => call.includes('User:CN=reports --operation Read '))).toBe(true);
    const readable = calls.flatMap((call) => / --topic (\S+)$/.exec(call)?.[1] ?? []);
    expect(readable).toEqual(PUBLIC_TOPICS.map(({ topic }) => topic.name));
  });

  it('given no command, when a script runs, then it stops and says what to set', () => {
    const { status, stderr } = spawnSync('sh', [path.join(scripts, 'analysts.sh')], { env: {}, encoding: 'utf8' });
    expect([status === 0, stderr]).toEqual([false, expect.stringContaining('KAFKA_ACLS')]);
  });
});
