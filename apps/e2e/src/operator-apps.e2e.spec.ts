import { openAppPage, registerApp, createSecret, openSignedInBrowser } from './developer.js';
import { runOperatorCommand } from './operator.fixture.js';
import { requestTokens, authorize } from './server-side-flow.fixture.js';
import { callbackUrl } from './sign-in.js';

describe('ids of apps', () => {
  // Shows token-47
  it('given the developer page, when apps are registered, then their ids are numbers that fit an integer of 32 bits', async () => {
    const alice = await openSignedInBrowser('alice');
    const ids = new Set<string>();
    for (const name of ['One', 'Two', 'Three'])
      ids.add(await registerApp(alice, { name, redirect_url: callbackUrl() }));
    for (const id of ids) expect([id, /^[1-9]\d*$/.test(id) && Number(id) < 2 ** 31]).toEqual([id, true]);
    expect(ids.size).toBe(3);
  });

  // Shows token-48
  it('given an id that a client hard-codes, when the operator creates the app, then its owner creates a secret and it works', async () => {
    const id = String(1_000_000 + (Number(process.hrtime.bigint()) % 1_000_000));
    const made = (...more: string[]) =>
      runOperatorCommand(
        'app',
        id,
        '--owner',
        'alice',
        '--name',
        'Hard coded',
        '--redirect-url',
        callbackUrl(),
        ...more,
      );
    expect(await made()).toMatchObject({
      code: 0,
      output: expect.stringContaining(`App ${id} belongs to alice`) as string,
    });
    expect(await made()).toMatchObject({
      code: 1,
      complaint: `Another app already has the client_id ${id}. Choose a different one.\n`,
    });
    const alice = await openSignedInBrowser('alice');
    expect((await openAppPage(alice, id)).html).toContain('Hard coded');
    const client_secret = await createSecret(alice, id);
    const code = (await authorize('carol', { client_id: id, scope: 'access_profile' })).get('code') ?? '';
    expect((await requestTokens({ client_id: id, client_secret, code })).status).toBe(200);
  });

  it('given an unknown owner, when the operator creates an app, then the command says so', async () => {
    const line = ['app', '77', '--owner', 'unknown', '--name', 'X', '--redirect-url', callbackUrl()];
    const { code, complaint } = await runOperatorCommand(...line);
    expect([code, complaint]).toEqual([1, 'There is no user "unknown": usernames are written without an @\n']);
  });
});
