import { eventually } from '@settle/testing';
import { startInspector, type PageInspector } from './page-inspector.fixture.js';
import { NEW_PASSWORD, awaitCode, fetchMessages, drawNames } from './sign-up.js';
import { unknownEmail, unknownPhone } from './users.js';
import { authorizeUrl } from './sign-in.js';

describe('the account pages in Chromium', () => {
  let inspector: PageInspector;
  const faults: string[] = [];
  const email = unknownEmail();
  const phone = unknownPhone();
  const { first_name: firstName, last_name: lastName, username } = drawNames();

  beforeAll(async () => {
    inspector = await startInspector(process.env.E2E_SHAPE ?? 'running');
  });
  afterAll(() => inspector.close());

  const open = (path: string) => inspector.open(path);
  const fill = (fields: Readonly<Record<string, string>>) => inspector.fill(fields);
  const press = (label: string) => inspector.press(label);
  // Pages are the same in every shape, and inspecting them takes time.
  const inspect = async (name: string) => {
    if (process.env.E2E_SHAPE !== 'stack') faults.push(...(await inspector.inspect(name)));
  };
  const heading = () => inspector.page.textContent('h1');

  // Shows friend-11
  it('given an authorization request, when a user signs up on its page, then the consent page follows', async () => {
    await open('/');
    await inspect('home');
    await inspector.page.goto(authorizeUrl({ scope: 'make_payments access_profile access_balance', state: 'x y' }));
    await inspect('sign-in-for-an-app');
    await inspector.page.click('text=Create an account');
    await fill({ first_name: firstName, last_name: lastName, username: 'a b', email, phone, password: 'password' });
    await press('Sign up');
    await inspect('sign-up-with-faults');
    await fill({ username, password: NEW_PASSWORD });
    await inspect('sign-up');
    await press('Sign up');
    expect(await heading()).toBe('Verify your e-mail address');
    await fill({ code: '1 2 3' });
    await press('Continue');
    await inspect('wrong-code');
    await fill({ code: await awaitCode(email) });
    await press('Continue');
    expect(await heading()).toBe('Verify your phone number');
    await inspect('phone-code');
    await fill({ code: await awaitCode(phone) });
    await press('Continue');
    expect(await heading()).toBe('Allow Settle demo to access your wallet?');
    await inspect('consent');
    await press('Allow');
    await inspector.page.waitForURL(/access_token=/);
    expect(new URL(inspector.page.url()).searchParams.get('state')).toBe('x y');
    await inspect('token');
  });

  // Shows friend-12
  it('given an account, when its owner edits it, then each page makes the change', async () => {
    await open('/account');
    expect(await inspector.page.textContent('.tag')).toBe('identity verified');
    await fill({ about: 'Likes long walks.' });
    await press('Save');
    await inspect('profile');
    expect(await inspector.page.inputValue('[name=about]')).toBe('Likes long walks.');
    await inspector.page.keyboard.press('Tab');
    expect(
      await inspector.page.evaluate("document.activeElement.className + ' ' + document.activeElement.textContent"),
    ).toBe('skip Skip to content');
    await open('/account/friends');
    await fill({ username: 'alice' });
    await press('Send request');
    await inspect('friends');
    await open('/account/security');
    await fill({ current_password: 'not it', password: 'dry grass at dawn' });
    await press('Change password');
    await inspect('security-with-a-fault');
    await fill({ current_password: NEW_PASSWORD, password: 'dry grass at dawn' });
    await press('Change password');
    expect(await inspector.page.textContent('[role=status]')).toContain('Password changed');
    await eventually(async () => expect((await fetchMessages(email))[0]).toContain('was changed'));
    await inspector.page.click('text=Sign out');
    await inspect('signed-out');
    await fill({ username: email, password: 'dry grass at dawn' });
    await press('Sign in');
    expect(await heading()).toBe(`${firstName} ${lastName}`);
  });

  // Shows friend-14
  it('given a forgotten password, when the code is entered, then the user sets a new one', async () => {
    await inspector.page.click('text=Sign out');
    await open('/account/reset');
    await inspect('reset');
    await fill({ email });
    await press('Send a code');
    await inspect('reset-code');
    await fill({ code: await awaitCode(email, 2), password: 'fresh snow at night' });
    await press('Continue');
    await fill({ username, password: 'fresh snow at night' });
    await press('Sign in');
    expect(await heading()).toBe(`${firstName} ${lastName}`);
  });

  it('given an unknown address, when it is opened, then the page says where to go', async () => {
    await open('/account/nothing');
    await inspect('nothing');
    expect(await inspector.page.getAttribute('text=Go to the start page', 'href')).toBe('/');
  });

  it('given messages that were sent, when the mailbox is opened, then it shows them', async () => {
    await open('/dev/mailbox');
    await inspect('mailbox');
    expect(await inspector.page.textContent('main')).toContain(email);
  });

  // Shows friend-16
  it('given all these pages, when they are inspected, then axe finds nothing, none is too wide, and the browser reports no violation', () => {
    expect(faults).toEqual([]);
    expect(inspector.complaints).toEqual([]);
  });
});
