/** What an operator decides about a person who uses what runs here. `npm run admin -- user alice --frozen`. */
import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const STACK = fileURLToPath(new URL('../apps/stack/dist/main.js', import.meta.url));
const ADMIN = fileURLToPath(new URL('../apps/users-service/dist/admin.js', import.meta.url));

/** Where the services of a stack meet; none in one process. */
async function brokersOn(dataDir) {
  const status = promisify(execFile)(process.execPath, [STACK, 'status', '--json'], {
    env: { ...process.env, DATA_DIR: dataDir },
  });
  return status.then(
    ({ stdout }) => JSON.parse(stdout).kafka.brokers,
    () => [],
  );
}

/** What users-service would be given: its own database, and where it asks the payments service. */
async function environmentHere() {
  const { databaseUrlOf, settingsOfRunning } = await import('@settle/launching');
  const settings = await settingsOfRunning(process.env);
  const brokers = await brokersOn(settings.dataDir);
  return { ...process.env, DATABASE_URL: await databaseUrlOf('users', settings), KAFKA_BROKERS: brokers.join(',') };
}

try {
  const env = await environmentHere();
  const { status } = spawnSync(process.execPath, [ADMIN, ...process.argv.slice(2)], { env, stdio: 'inherit' });
  process.exitCode = status ?? 1;
} catch (error) {
  const reason = error.code === 'ERR_MODULE_NOT_FOUND' ? 'Run `npm start` first, which builds it' : error.message;
  process.stderr.write(`${reason}\n`);
  process.exitCode = 1;
}
