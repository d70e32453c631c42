/** `npm run stack`: builds before it starts a stack; a command to a running one, such as `status`, builds nothing. */
const [first = '--'] = process.argv.slice(2);
if (first.startsWith('--')) await import('./prepare.mjs');

try {
  await import('../apps/stack/dist/main.js');
} catch (error) {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  process.stderr.write('stack: no stack was ever started here: run `npm run stack` first, which builds it\n');
  process.exitCode = 1;
}
