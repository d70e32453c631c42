import { readdirSync } from 'node:fs';
import path from 'node:path';

/**
 * Returns the settings with which Python and pip find, without an index, the packages that `npm test` has installed.
 * @param environments their folders in the checkout
 */
export function installedPackages(...environments: readonly string[]): Record<string, string> {
  const folders = environments.map((environment) => {
    const lib = path.resolve(import.meta.dirname, '../../..', environment, 'lib');
    const [version = ''] = readdirSync(lib).filter((name) => name.startsWith('python3'));
    return path.join(lib, version, 'site-packages');
  });
  return {
    PYTHONPATH: folders.join(path.delimiter),
    PIP_NO_INDEX: 'true',
    PIP_NO_BUILD_ISOLATION: 'false',
    PIP_DISABLE_PIP_VERSION_CHECK: 'true',
  };
}
