/** `npm run new-service -- receipts`: see `tools/new-service/generate.mjs`. Then links the new package. */
import path from 'node:path';
import { generateService } from './new-service/generate.mjs';
import { runNpm, runQuietly } from './run-nx.mjs';

const root = path.dirname(import.meta.dirname);
const [name] = process.argv.slice(2);
try {
  const paths = generateService(root, name, Date.now());
  await runQuietly(process.execPath, [path.join(root, 'node_modules/prettier/bin/prettier.cjs'), '--write', ...paths]);
  await runNpm(['install', '--no-audit', '--no-fund', '--loglevel=error']);
  process.stdout.write(`${paths.join('\n')}
Next: npm test -- apps/${name}-service --selectProjects int
      npm run build && node tools/generate.mjs
      npm start
In containers it needs ${name.toUpperCase()}_DB_PASSWORD and ${name.toUpperCase()}_KAFKA_PASSWORD, and on a volume that exists its
database: docker compose up --detach postgres && docker compose exec postgres bash /docker-entrypoint-initdb.d/settle.sh
`);
} catch (error) {
  process.stderr.write(`${error.output ?? ''}${error.message}\n`);
  process.exitCode = 1;
}
