import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describeQuickstart } from './guide.fixture.js';

/** Returns the folder of the packages that `npm test` has installed for the Python client. */
function installedPackages(): string {
  const lib = path.resolve(import.meta.dirname, '../../../.python/lib');
  const [version = ''] = readdirSync(lib).filter((name) => name.startsWith('python3'));
  return path.join(lib, version, 'site-packages');
}

// On a machine without Python, npm test leaves this file out and says so.
describeQuickstart({
  name: 'in Python',
  page: 'quickstart/python.md',
  env: {
    // pip finds the packages that the client needs there, without an index.
    ...{ PYTHONPATH: installedPackages(), PIP_NO_INDEX: 'true', PIP_NO_BUILD_ISOLATION: 'false' },
    PIP_DISABLE_PIP_VERSION_CHECK: 'true',
  },
});
