import { jest } from '@jest/globals';
import { readSettings } from '@settle/config';
import { readyMessage } from './ready-message.js';

const WRONG_PASSWORD = { error: { code: 'invalid_grant', message: 'Wrong username or password.' } };

describe('what is printed when everything runs', () => {
  afterEach(() => void jest.restoreAllMocks());

  it('given a demo user whose password was changed, when it starts, then the message says how to get a token', async () => {
    jest
      .spyOn(globalThis, 'fetch')
      .mockImplementation(() => Promise.resolve(Response.json(WRONG_PASSWORD, { status: 400 })));
    const settings = readSettings({ NODE_ENV: 'test' });
    const message = await readyMessage(settings, settings.publicUrl);
    expect(message).toMatch(/^Ready: http/);
    expect(message).toContain('Wrong username or password.');
    expect(message).toMatch(/^npm run token -- --user alice --scope "[a-z_ ]+" --password <password>$/m);
    expect(message).not.toContain('access_token');
  });
});
