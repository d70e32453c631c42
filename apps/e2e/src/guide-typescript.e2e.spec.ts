import path from 'node:path';
import { GUIDE_TIMEOUT_MS, ReaderFolder, root } from './guide.fixture.js';

describe('the quickstart in TypeScript', () => {
  const folder = new ReaderFolder();
  afterAll(() => folder.remove());

  it(
    'given a new folder, when its page is followed, then the output is that of the page and the types fit',
    async () => {
      await folder.follow('quickstart/typescript.md');
      const types = ['--typeRoots', path.join(root, 'node_modules/@types'), '--types', 'node'];
      const options = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext', ...types];
      const compiler = path.join(root, 'node_modules/typescript7/bin/tsc');
      const program = path.join(folder.path, 'quickstart-ts/quickstart.mts');
      await folder.run(process.execPath, [compiler, ...options, program]);
    },
    GUIDE_TIMEOUT_MS,
  );
});
