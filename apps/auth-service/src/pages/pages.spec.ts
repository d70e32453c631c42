import { contentPolicy } from './page-headers.js';
import { renderCallback, renderConsent, renderHome, renderProblem, renderSignIn } from './pages.js';

const HOSTILE = `<script>alert(1)</script>"'><img src=x onerror=alert(1)>&<%= 1 %>`;

describe('pages', () => {
  it.each([
    ['sign-in', renderSignIn({ appName: HOSTILE, query: HOSTILE, formToken: HOSTILE, login: HOSTILE, isWrong: true })],
    [
      'consent',
      renderConsent({
        appName: HOSTILE,
        abilities: [{ scope: HOSTILE, words: HOSTILE }],
        lifetime: HOSTILE,
        leadsTo: HOSTILE,
        username: HOSTILE,
        formToken: HOSTILE,
        requestId: HOSTILE,
        query: HOSTILE,
      }),
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
