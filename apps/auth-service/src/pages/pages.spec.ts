import { DEMO_USERS } from '@settle/contracts';
import { renderProfile } from '../account/profile.page.js';
import { accountHead } from './navigation.js';
import { contentPolicy } from './page-headers.js';
import {
  renderCallback,
  renderConsent,
  renderFaultyRequest,
  renderHome,
  renderProblem,
  renderSignIn,
} from './pages.js';

const HOSTILE = `<script>alert(1)</script>"'><img src=x onerror=alert(1)>&<%= 1 %>`;

describe('pages', () => {
  it.each([
    ['sign-in', renderSignIn({ appName: HOSTILE, query: HOSTILE, formToken: HOSTILE, login: HOSTILE, isWrong: true })],
    [
      'consent',
      renderConsent({
        appName: HOSTILE,
        abilities: [{ scope: HOSTILE, words: HOSTILE }],
        alwaysShared: HOSTILE,
        lifetime: HOSTILE,
        developer: HOSTILE,
        siteUrl: HOSTILE,
        returnsTo: HOSTILE,
        leadsTo: HOSTILE,
        amountPerDay: HOSTILE,
        username: HOSTILE,
        formToken: HOSTILE,
        requestId: HOSTILE,
        query: HOSTILE,
      }),
    ],
    ['faulty request', renderFaultyRequest({ message: HOSTILE, code: HOSTILE, returnsTo: HOSTILE, href: HOSTILE })],
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
  ])('given hostile texts, when the %s page is made, then they are text only', (_name, html) => {
    expect(html).not.toContain('<script');
    expect(html).not.toContain('<img src=x');
    expect(html).toContain('&lt;script&gt;');
    expect(html).not.toMatch(/="[^"]*'>/);
  });
});

describe('contentPolicy', () => {
  it.each([
    ['https://app.example/cb?x=1', "form-action 'self' https://app.example;"],
    ['http://127.0.0.1:9000/done', "form-action 'self' http://127.0.0.1:9000;"],
    ['http://[::1]:9000/done', "form-action 'self' http:;"],
    [undefined, "form-action 'self';"],
  ])('given a form that may lead to %s, when made, then it holds %s and no script', (uri, formAction) => {
    const policy = contentPolicy(uri);
    expect(policy).toContain(formAction);
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('script-src');
    expect(policy).not.toContain('upgrade-insecure-requests');
  });
});

describe('the profile page', () => {
  it('given the choice of an audience, when it is shown, then it says that only the two parties read a payment', () => {
    const { id, username, firstName, lastName, about } = DEMO_USERS.alice;
    const html = renderProfile({
      head: accountHead('/account', 't'),
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
      faults: {},
      typedAddresses: {},
      isWrongPassword: false,
      done: null,
      hasDevTools: false,
    });
    expect(html).toContain('Only you and the other party can read a payment, whatever its audience.');
    expect(html).not.toMatch(/everybody|your friends too/i);
  });
});
