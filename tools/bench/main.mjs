import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { format } from 'prettier';

const { values: options } = parseArgs({
  options: {
    stack: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    profile: { type: 'boolean', default: false },
  },
});
const root = fileURLToPath(new URL('../../', import.meta.url));
const { run, PAGE } = await import(options.stack ? './stack.mjs' : './embedded.mjs');

const dataDir = join(root, '.data', `bench-${process.pid}`);
/** Where Node leaves CPU profiles of the product when it ends; a profiled run is slower, so its page is not kept. */
const profileDir = options.profile ? join(root, '.data', 'profiles') : null;
const stops = [];
const stopAll = async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
  rmSync(dataDir, { recursive: true, force: true });
};
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => void stopAll().finally(() => process.exit(130)));
}

mkdirSync(dataDir, { recursive: true });
try {
  const lines = await run({ dataDir, stops, profileDir, isQuick: options.quick });
  const page = await format(lines.join('\n'), { parser: 'markdown', printWidth: 120 });
  process.stdout.write(page);
  if (!options.quick && !options.profile) writeFileSync(join(root, 'docs', PAGE), page);
} finally {
  await stopAll();
}
