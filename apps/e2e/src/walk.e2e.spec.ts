import { eventually } from '@settle/testing';
import { startWalker, type Walker } from './chromium.fixture.js';
import { NEW_PASSWORD, codeTo, messagesTo, newNames } from './newcomers.js';
import { unknownEmail, unknownPhone } from './people.js';
import { authorizeUrl } from './sign-in.js';

describe('a walk through the pages in Chromium', () => {
  let walker: Walker;
  const faults: string[] = [];
  const email = unknownEmail();
  const phone = unknownPhone();
  const { first_name: firstName, last_name: lastName, username } = newNames();

  beforeAll(async () => {
    walker = await startWalker(process.env.E2E_SHAPE ?? 'running');
  });
  afterAll(() => walker.close());

  const open = (path: string) => walker.open(path);
  const fill = (fields: Readonly<Record<string, string>>) => walker.fill(fields);
  const press = (label: string) => walker.press(label);
  // Pages look the same in every shape, and looking takes its time.
  const look = async (name: string) => {
    if (process.env.E2E_SHAPE !== 'stack') faults.push(...(await walker.look(name)));
  };
  const heading = () => walker.page.textContent('h1');

  // Shows friend-11
  it('given an authorization request, when a user signs up on its page, then the consent page follows', async () => {
    await open('/');
    await look('home');
    await walker.page.goto(authorizeUrl({ scope: 'make_payments access_profile access_balance', state: 'x y' }));
    await look('sign-in-for-an-app');
    await walker.page.click('text=Create an account');
    await fill({ first_name: firstName, last_name: lastName, username: 'a b', email, phone, password: 'password' });
    await press('Sign up');
    await look('sign-up-with-faults');
    await fill({ username, password: NEW_PASSWORD });
    await look('sign-up');
    await press('Sign up');
    expect(await heading()).toBe('Verify your e-mail address');
    await fill({ code: '1 2 3' });
    await press('Continue');
    await look('wrong-code');
    await fill({ code: await codeTo(email) });
    await press('Continue');
    expect(await heading()).toBe('Verify your phone number');
    await look('phone-code');
    await fill({ code: await codeTo(phone) });
    await press('Continue');
    expect(await heading()).toBe('Allow Settle demo to access your wallet?');
    await look('consent');
    await press('Allow');
    await walker.page.waitForURL(/access_token=/);
    expect(new URL(walker.page.url()).searchParams.get('state')).toBe('x y');
    await look('token');
  });

  // Shows friend-12
  it('given an account, when its owner looks after it, then each page does what it says', async () => {
    await open('/account');
    expect(await walker.page.textContent('.tag')).toBe('identity verified');
    await fill({ about: 'Likes long walks.' });
    await press('Save');
    await look('profile');
    expect(await walker.page.inputValue('[name=about]')).toBe('Likes long walks.');
    await walker.page.keyboard.press('Tab');
    expect(
      await walker.page.evaluate("document.activeElement.className + ' ' + document.activeElement.textContent"),
    ).toBe('skip Skip to content');
    await open('/account/friends');
    await fill({ username: 'alice' });
    await press('Send request');
    await look('friends');
    await open('/account/security');
    await fill({ current_password: 'not it', password: 'dry grass at dawn' });
    await press('Change password');
    await look('security-with-a-fault');
    await fill({ current_password: NEW_PASSWORD, password: 'dry grass at dawn' });
    await press('Change password');
    expect(await walker.page.textContent('[role=status]')).toContain('Password changed');
    await eventually(async () => expect((await messagesTo(email))[0]).toContain('was changed'));
    await walker.page.click('text=Sign out');
    await look('signed-out');
    await fill({ username: email, password: 'dry grass at dawn' });
    await press('Sign in');
    expect(await heading()).toBe(`${firstName} ${lastName}`);
  });

  // Shows friend-14
  it('given a forgotten password, when a code comes back, then there is a new one', async () => {
    await walker.page.click('text=Sign out');
    await open('/account/reset');
    await look('reset');
    await fill({ email });
    await press('Send a code');
    await look('reset-code');
    await fill({ code: await codeTo(email, 2), password: 'fresh snow at night' });
    await press('Continue');
    await fill({ username, password: 'fresh snow at night' });
    await press('Sign in');
    expect(await heading()).toBe(`${firstName} ${lastName}`);
  });

  it('given what is not there, when opened, then the page says where to go', async () => {
    await open('/account/nothing');
    await look('nothing');
    await open('/dev/mailbox');
    await look('mailbox');
  });

  // Shows friend-16
  it('given all these pages, then axe finds nothing, none is too wide, and the browser refused nothing', () => {
    expect(faults).toEqual([]);
    expect(walker.complaints).toEqual([]);
  });
});
