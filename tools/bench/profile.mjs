/**
 * `NODE_OPTIONS="--import <this file>"`: leaves a CPU profile in `PROFILE_DIR` when the process ends. What `--cpu-prof`
 * does, which cannot stand in `NODE_OPTIONS`, from where it reaches the processes of the stack.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { basename, dirname, join } from 'node:path';

const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.start');
process.once('exit', () => {
  session.post('Profiler.stop', (error, { profile } = {}) => {
    if (error !== null) return;
    const app = basename(dirname(dirname(process.argv[1])));
    mkdirSync(process.env.PROFILE_DIR, { recursive: true });
    writeFileSync(join(process.env.PROFILE_DIR, `${app}-${process.pid}.cpuprofile`), JSON.stringify(profile));
  });
});
