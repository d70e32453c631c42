/**
 * What an operator decides about a user or an app of the Settle that runs here. `npm run admin -- user alice --frozen`,
 * `npm run admin -- app 1112 --owner alice --name Shop --redirect-url https://shop.example/cb`.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const service = process.argv[2] === 'app' ? 'auth' : 'users';
const program = fileURLToPath(new URL(`../apps/${service}-service/dist/admin.js`, import.meta.url));

try {
  const { environmentBeside } = await import('@settle/launching');
  const env = await environmentBeside(service, process.env);
  process.exitCode =
    spawnSync(process.execPath, [program, ...process.argv.slice(2)], { env, stdio: 'inherit' }).status ?? 1;
} catch (error) {
  const reason = error.code === 'ERR_MODULE_NOT_FOUND' ? 'run `npm start` first, which builds it' : error.message;
  process.stderr.write(`admin: ${reason}\n`);
  process.exitCode = 1;
}
