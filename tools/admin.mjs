/**
 * Runs an operator's command on a user or an app of the product on this machine. `npm run admin -- user alice --frozen`,
 * `npm run admin -- suspend-app 1112`, `npm run admin -- app 1112 --owner alice --name Shop --redirect-url https://shop.example/cb`.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The services that run the command, one after the other. */
const SERVICES = {
  app: ['auth'],
  'suspend-app': ['auth'],
  'resume-app': ['auth'],
  'end-sessions': ['auth'],
  // The flags of an account are users-service's, but for `frozen-for-reading`.
  user: ['users', 'auth'],
};
const DONE_LATER = 2;

/** Resolves with the status in which the command of the service ends. */
async function run(service, args) {
  const { environmentBeside } = await import('@settle/launching');
  const env = await environmentBeside(service, process.env);
  const program = fileURLToPath(new URL(`../apps/${service}-service/dist/admin.js`, import.meta.url));
  return spawnSync(process.execPath, [program, ...args], { env, stdio: 'inherit' }).status ?? 1;
}

try {
  const args = process.argv.slice(2);
  for (const service of SERVICES[args[0]] ?? ['users']) {
    const status = await run(service, args);
    process.exitCode = Math.max(status, process.exitCode ?? 0);
    // A change that is stored and takes effect later does not skip the other steps.
    if (status !== 0 && status !== DONE_LATER) break;
  }
} catch (error) {
  const reason = error.code === 'ERR_MODULE_NOT_FOUND' ? 'run `npm start` first, which builds it' : error.message;
  process.stderr.write(`admin: ${reason}\n`);
  process.exitCode = 1;
}
