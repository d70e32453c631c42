import { readdirSync } from 'node:fs';
import path from 'node:path';
import { prepareDedicatedProduct } from './dedicated-product.js';
import { GUIDE_TIMEOUT_MS, ReaderFolder } from './guide.fixture.js';

/** Returns the folder of the packages that `npm test` has installed for the Python client. */
function installedPackages(): string {
  const lib = path.resolve(import.meta.dirname, '../../../.python/lib');
  const [version = ''] = readdirSync(lib).filter((name) => name.startsWith('python3'));
  return path.join(lib, version, 'site-packages');
}

// On a machine without Python, npm test leaves this file out and says so.
describe('the quickstart in Python', () => {
  // pip finds the packages that the client needs there, without an index.
  const offline = { PYTHONPATH: installedPackages(), PIP_NO_INDEX: 'true', PIP_NO_BUILD_ISOLATION: 'false' };
  const product = prepareDedicatedProduct();
  const folder = new ReaderFolder({ ...offline, PIP_DISABLE_PIP_VERSION_CHECK: 'true' });
  // Balances on the page are those of a new product.
  beforeAll(() => product.start(), GUIDE_TIMEOUT_MS);
  afterAll(async () => {
    folder.remove();
    await product.close();
  }, GUIDE_TIMEOUT_MS);

  it(
    'given a new folder, when its page is followed, then the output is that of the page',
    () => folder.follow('quickstart/python.md'),
    GUIDE_TIMEOUT_MS,
  );
});
