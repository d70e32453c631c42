import { text } from 'node:stream/consumers';
import { createProjectGraphAsync } from '@nx/devkit';
import { ESLint } from 'eslint';

/**
 * Lints texts as if each stood at its path, with the workspace's own configuration. Reads `[{ file, code }]` as JSON
 * from stdin and prints, for each, the messages as `[{ rule, message }]`. A process of its own, because Nx and ESLint
 * load native code and configuration that jest's module registry would load again for every spec.
 */
const fixtures = JSON.parse(await text(process.stdin));
await createProjectGraphAsync({ exitOnError: false });
const eslint = new ESLint({ cwd: process.cwd() });

const results = [];
for (const { file, code } of fixtures) {
  const [result] = await eslint.lintText(code, { filePath: file });
  results.push(result.messages.map(({ ruleId, message }) => ({ rule: ruleId, message })));
}
process.stdout.write(JSON.stringify(results));
