import {
  NEW_PASSWORD,
  requestVerification,
  submitSignUp,
  awaitCode,
  fetchMessages,
  drawNames,
  pageUrl,
  signUp,
} from './sign-up.js';
import { loadDemoUser } from './users.js';
import { newBrowser } from './sign-in.js';

/** U+212A, the Kelvin sign: its lower case is the letter k. */
const KELVIN = '\u212A';

const requestPasswordReset = async (email: string, from: string) => {
  const browser = newBrowser(from);
  return browser.submit(await browser.open(pageUrl('/account/reset')), { email }, 'Send a code');
};

describe('an address that looks like that of another user', () => {
  const { username } = drawNames();
  const email = `k.${username}@example.com`;
  const lookalike = `${KELVIN}.${username}@example.com`;

  it('given a k written as U+212A, when another user tries to reset, verify, sign up, sign in or pay with it, then the account of the address with a k is not affected', async () => {
    const owner = await signUp({ email });
    const stranger = await signUp();

    expect((await requestPasswordReset(lookalike, '198.51.100.21')).url.pathname).toBe('/account/reset/code');
    const own = await requestPasswordReset(email, '198.51.100.22');
    const code = await awaitCode(email, 2);
    expect((await fetchMessages(email)).length).toBe(2);
    expect(await fetchMessages(lookalike)).toEqual([]);

    expect((await requestVerification(stranger, 'email', lookalike)).status).toBe(400);
    expect((await submitSignUp(newBrowser('198.51.100.23'), { email: lookalike })).status).toBe(400);
    const domain = { email: `a.${username}@ban${KELVIN}.example` };
    expect((await submitSignUp(newBrowser('198.51.100.23'), domain)).status).toBe(400);
    const signingIn = newBrowser('198.51.100.23');
    const signIn = await signingIn.open(pageUrl('/account/sign-in'));
    const signedIn = await signingIn.submit(signIn, { username: lookalike, password: NEW_PASSWORD }, 'Sign in');
    expect(signedIn.status).toBe(403);
    const alice = await loadDemoUser('alice');
    const paid = await alice.send({ email: lookalike }, '0.01');
    expect([paid.status, paid.body.error.code]).toEqual([400, 'invalid_email']);

    expect((await owner.browser.open(pageUrl('/account'))).html).toContain(email);
    expect(own.status).toBe(200);
    expect(code).toMatch(/^\d{6}$/);
  });

  it('given an address in other letter case, when a code is requested, then it is sent to the stored spelling', async () => {
    const spelling = `Mc.${drawNames().username}@Example.com`;
    await signUp({ email: spelling });
    await requestPasswordReset(spelling.toUpperCase(), '198.51.100.24');
    expect(await awaitCode(spelling, 2)).toMatch(/^\d{6}$/);
    expect(await fetchMessages(spelling.toUpperCase())).toEqual([]);
  });
});
