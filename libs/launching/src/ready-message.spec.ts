import { jest } from '@jest/globals';
import { readSettings } from '@settle/config';
import { readyMessage } from './ready-message.js';

const SIGN_IN = '<form method="post" action="/v1/oauth/sign-in"><input type="password" name="password"></form>';

describe('what is printed when everything runs', () => {
  afterEach(() => void jest.restoreAllMocks());

  it('given a demo user whose password was changed, when it starts, then the message says how to get a token', async () => {
    jest.spyOn(globalThis, 'fetch').mockImplementation(() => Promise.resolve(new Response(SIGN_IN, { status: 403 })));
    const settings = readSettings({ NODE_ENV: 'test' });
    const message = await readyMessage(settings, settings.publicUrl);
    expect(message).toMatch(/^Ready: http/);
    expect(message).toContain('The sign-in was refused');
    expect(message).toMatch(/^npm run token -- --user alice --scope "[a-z_ ]+" --password <password>$/m);
    expect(message).not.toContain('access_token');
  });
});
