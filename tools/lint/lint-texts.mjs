import { text } from 'node:stream/consumers';
import { createProjectGraphAsync } from '@nx/devkit';
import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';

/**
 * Lints texts as if each stood at its path, with the workspace's own configuration. Reads `[{ file, code, needsTypes }]`
 * as JSON from stdin and prints, for each, the messages as `[{ rule, message }]`. Rules that need types are left out
 * unless `needsTypes` asks for them: they make the compiler read the whole project. A process of its own, because Nx
 * and ESLint load native code and configuration that jest's module registry would load again.
 */
const fixtures = JSON.parse(await text(process.stdin));
await createProjectGraphAsync({ exitOnError: false });
const typed = new ESLint();
const untyped = new ESLint({ overrideConfig: tseslint.configs.disableTypeChecked });

const results = [];
for (const { file, code, needsTypes } of fixtures) {
  const [result] = await (needsTypes ? typed : untyped).lintText(code, { filePath: file });
  results.push(result.messages.map(({ ruleId, message }) => ({ rule: ruleId, message })));
}
process.stdout.write(JSON.stringify(results));
