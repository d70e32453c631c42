import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { DEMO_APP, DEMO_USERS } from '@settle/contracts';
import { baseUrl, sandboxUrl } from './client.js';
import { authorize, newPkce, obtainTokens } from './server-side-flow.fixture.js';

const root = path.resolve(import.meta.dirname, '../../..');
const scope = 'make_payments access_profile access_balance';

/** Returns the tokens of a demo user as environment variables of the specs in Python. */
async function tokensOf(username: string): Promise<Record<string, string>> {
  const { access_token: access, refresh_token: refresh } = await obtainTokens(username, { scope });
  const name = username.toUpperCase();
  return { [`${name}_ACCESS_TOKEN`]: access, [`${name}_REFRESH_TOKEN`]: refresh };
}

// On a machine without Python, npm test leaves this file out and says so.
describe('the Python client on the running product', () => {
  it('given users and an app, when its specs run, then they pass', async () => {
    const { verifier, parameters } = newPkce();
    const back = await authorize('carol', { scope, ...parameters });
    const env = {
      ...process.env,
      PYTHONDONTWRITEBYTECODE: '1',
      SETTLE_URL: baseUrl(),
      SANDBOX_URL: sandboxUrl(),
      CLIENT_ID: DEMO_APP.clientId,
      CLIENT_SECRET: DEMO_APP.clientSecret,
      ALICE_ID: DEMO_USERS.alice.id,
      BOB_ID: DEMO_USERS.bob.id,
      CAROL_CODE: back.get('code') ?? '',
      CAROL_CODE_VERIFIER: verifier,
      ...(await tokensOf('alice')),
      ...(await tokensOf('bob')),
    };
    const args = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', 'e2e'];
    const options = { cwd: path.join(root, 'sdks/python'), env };
    const run = promisify(execFile)(path.join(root, '.python/bin/python'), args, options);
    const { stdout } = await run.catch((error: { stdout: string; stderr: string }) => {
      throw new Error(error.stdout + error.stderr);
    });
    expect(stdout).toMatch(/^\d+ passed/m);
  });
});
