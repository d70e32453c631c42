import { DEMO_USERS } from '@settle/contracts';
import { renderFriends } from '../account/friends.page.js';
import { renderProfile } from '../account/profile.page.js';
import { buildContentSecurityPolicy } from '../http/page-headers.js';
import { renderConsent, renderInvalidRequest } from '../authorize/authorize.pages.js';
import { renderCallback } from '../demo/callback.page.js';
import { renderProblem } from '../problems/problem.page.js';
import { renderSignIn } from '../sign-in/sign-in.page.js';
import { renderHome } from './home.controller.js';

const HOSTILE = `<script>alert(1)</script>"'><img src=x onerror=alert(1)>&<%= 1 %>`;

const FRIEND = {
  ...DEMO_USERS.bob,
  ...{ username: HOSTILE, displayName: HOSTILE, profilePictureUrl: HOSTILE, dateJoinedUs: 1 },
  ...{ isTrusted: true, trustAmountPerDayCents: 1 },
};

describe('pages', () => {
  it.each([
    [
      'sign-in',
      renderSignIn({
        appName: HOSTILE,
        action: HOSTILE,
        signUpPath: HOSTILE,
        formToken: HOSTILE,
        login: HOSTILE,
        isWrong: true,
      }),
    ],
    [
      'consent',
      renderConsent({
        appName: HOSTILE,
        notice: HOSTILE,
        abilities: [{ scope: HOSTILE, description: HOSTILE, isSelected: true }],
        alwaysShared: HOSTILE,
        lifetime: HOSTILE,
        developer: HOSTILE,
        siteHost: HOSTILE,
        redirectHost: HOSTILE,
        redirectUri: HOSTILE,
        amountPerDay: HOSTILE,
        username: HOSTILE,
        formToken: HOSTILE,
        requestId: HOSTILE,
        query: HOSTILE,
      }),
    ],
    [
      'invalid request',
      renderInvalidRequest({ message: HOSTILE, code: HOSTILE, redirectHost: HOSTILE, href: HOSTILE }),
    ],
    [
      'friends',
      renderFriends(
        { username: HOSTILE, formToken: HOSTILE },
        {
          friendships: { friends: [FRIEND], incoming: [FRIEND], outgoing: [FRIEND], blocked: [FRIEND] },
          amountOf: () => HOSTILE,
          ...{ typed: HOSTILE, fault: HOSTILE },
          amountFault: { friendId: FRIEND.id, typed: HOSTILE, message: HOSTILE },
        },
      ),
    ],
    ['home', renderHome({ publicUrl: HOSTILE, hasDevTools: true })],
    ['problem', renderProblem({ title: HOSTILE, message: HOSTILE, code: HOSTILE })],
    [
      'callback',
      renderCallback({
        title: HOSTILE,
        token: HOSTILE,
        error: HOSTILE,
        publicUrl: HOSTILE,
        payeeId: HOSTILE,
        startPath: HOSTILE,
      }),
    ],
  ])('given hostile texts, when the %s page is rendered, then they are escaped', (_name, html) => {
    expect(html).not.toContain('<script');
    expect(html).not.toContain('<img src=x');
    expect(html).toContain('&lt;script&gt;');
    expect(html).not.toMatch(/="[^"]*'>/);
  });
});

describe('buildContentSecurityPolicy', () => {
  it.each([
    [['https://pages.provider.example'], ["form-action 'self' https://pages.provider.example"]],
    [[], ["form-action 'self'"]],
    // The app may redirect on to any other host or scheme, which no source list can name.
    ['anywhere' as const, []],
  ])(
    'given forms that redirect to %j, when the policy is built, then its form-action is %j and no script is allowed',
    (formSources, formActions) => {
      const policy = buildContentSecurityPolicy(formSources);
      expect(policy.split('; ').filter((directive) => directive.startsWith('form-action'))).toEqual(formActions);
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toContain('script-src');
      expect(policy).not.toContain('upgrade-insecure-requests');
    },
  );
});

describe('the consent page', () => {
  const html = renderConsent({
    ...{ appName: 'App', notice: null, alwaysShared: null, lifetime: '30 minutes', developer: 'Dev' },
    abilities: [
      { scope: 'make_payments', description: 'Pay', isSelected: true },
      { scope: 'access_profile', description: 'See', isSelected: false },
    ],
    ...{ siteHost: 'app.example', redirectHost: 'app.example', redirectUri: 'https://app.example/cb' },
    ...{ amountPerDay: '20', username: 'alice', formToken: 't', requestId: 'r', query: 'q' },
  });

  it('given its form, when Enter presses the first button, then the button neither allows nor denies, and only Enter reaches it', () => {
    const [first = '', ...others] = [...html.matchAll(/<button[^>]*name="decision"[^>]*>/g)].map(([tag]) => tag);
    expect(first).toContain('value="none" tabindex="-1" aria-hidden="true"');
    expect(others.map((tag) => /value="(\w+)"/.exec(tag)?.[1])).toEqual(['deny', 'allow']);
  });

  it('given a scope that the user did not select, when the page is shown again, then its box is not ticked', () => {
    expect(html.match(/value="(?:make|access)_\w+"(?: checked)?>/g)).toEqual([
      'value="make_payments" checked>',
      'value="access_profile">',
    ]);
  });
});

describe('the profile page', () => {
  it('given the audience field, when the page is rendered, then it says that only the two parties see a payment', () => {
    const { id, username, firstName, lastName, about } = DEMO_USERS.alice;
    const html = renderProfile(
      { username, formToken: 't' },
      {
        account: {
          card: {
            ...{ id, username, firstName, lastName, about },
            ...{ displayName: 'Alice Archer', profilePictureUrl: '', dateJoinedUs: 1 },
          },
          ...{ defaultAudience: 'private', isVerified: true, isBusiness: false, hasLegacyAccess: false },
          ...{ email: null, phone: null, addresses: [], fundingSource: null },
        },
        picturePath: '/pictures/AA.svg',
        typed: { first_name: firstName, last_name: lastName, about, default_audience: 'public' },
        hasDevTools: false,
      },
    );
    expect(html).toContain('only you and the other party can see the payment');
    expect(html).not.toMatch(/every(?:body|one)|all users|your friends too/i);
  });
});
