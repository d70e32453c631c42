import { createHash } from 'node:crypto';
import {
  DEMO_APP,
  DEMO_USERS,
  TOPICS,
  checkToken,
  getBalance,
  getProfile,
  type GetProfile,
  type Profile,
  type TokenGrant,
} from '@settle/contracts';
import { signInDemoUser, type StartedAuth } from './started-auth.fixture.js';

const PROFILE_OF_ALICE: Profile = {
  id: DEMO_USERS.alice.id,
  username: DEMO_USERS.alice.username,
  firstName: DEMO_USERS.alice.firstName,
  lastName: DEMO_USERS.alice.lastName,
  displayName: 'Alice Archer',
  about: '',
  profilePictureUrl: 'http://localhost:3000/pictures/AA.svg',
  dateJoinedUs: 1_700_000_000_000_001,
  email: DEMO_USERS.alice.email,
  phone: DEMO_USERS.alice.phone,
  isFriend: null,
  friendsCount: 1,
};

/** Registers replies of the other services on the bus. */
export function stubOtherServices({ bus }: StartedAuth): void {
  bus.handle(TOPICS.usersRequests, getProfile.pattern, (request) =>
    Promise.resolve({ ...PROFILE_OF_ALICE, id: (request as GetProfile).userId }),
  );
  bus.handle(TOPICS.paymentsQueries, getBalance.pattern, () => Promise.resolve({ balanceCents: 100_05 }));
}

export interface TokenResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: {
    readonly access_token: string;
    readonly refresh_token: string;
    readonly expires_in: number;
    readonly scope: string;
    readonly error?: { readonly code: string; readonly message: string };
  };
}

export const DEMO_CREDENTIALS = { client_id: DEMO_APP.clientId, client_secret: DEMO_APP.clientSecret };
export const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
export const CHALLENGE = `code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256`;
export const DEMO_QUERY = `response_type=code&client_id=${DEMO_APP.clientId}&scope=make_payments+access_balance`;

/** An app that authorizes users and redeems tokens. */
export class OauthClient {
  constructor(private readonly auth: StartedAuth) {}

  /** Sends alice through the authorization, who allows the ticked scopes; returns the parameters of the redirect. */
  async authorize(query: string, fields: Record<string, string> = {}): Promise<URLSearchParams> {
    const { browser, response, consentPage } = await signInDemoUser(this.auth, query);
    // With a remembered consent the redirect after sign-in leads to the app.
    const last = consentPage.includes('<form')
      ? await browser.submit(consentPage, '/v1/oauth/consent', { decision: 'allow', ...fields })
      : await browser.get(response.headers.get('location') ?? '');
    return new URL(last.headers.get('location') ?? '').searchParams;
  }

  async requestCode(query = DEMO_QUERY): Promise<string> {
    return (await this.authorize(query)).get('code') ?? '';
  }

  post(fields: Record<string, string> | string, headers: Record<string, string> = {}): Promise<TokenResponse> {
    return this.send('/v1/oauth/access_token', fields, headers);
  }

  async send(
    path: string,
    fields: Record<string, string> | string,
    headers: Record<string, string> = {},
  ): Promise<TokenResponse> {
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = new URLSearchParams(fields).toString();
    const init = { method: 'POST', headers: { ...type, ...headers }, body };
    const response = await fetch(this.auth.service.url + path, init);
    const text = await response.text();
    const { status } = response;
    return { status, headers: response.headers, body: (text === '' ? {} : JSON.parse(text)) as TokenResponse['body'] };
  }

  /** Returns tokens of the demo app for alice. */
  async requestTokens(query = DEMO_QUERY): Promise<TokenResponse['body']> {
    const { status, body } = await this.post({ ...DEMO_CREDENTIALS, code: await this.requestCode(query) });
    if (status !== 200) throw new Error(`No tokens: ${JSON.stringify(body)}`);
    return body;
  }

  refresh(refreshToken: string): Promise<TokenResponse> {
    return this.post({ ...DEMO_CREDENTIALS, refresh_token: refreshToken });
  }

  /** Checks a token as a gateway does: returns its grant or the error code. */
  async check(token: string): Promise<TokenGrant | string> {
    const tokenSha256 = createHash('sha256').update(token).digest('hex');
    try {
      return await this.auth.client.request(checkToken, { tokenSha256 }, { key: 'k', timeoutMs: 30_000 });
    } catch (error) {
      return (error as { code: string }).code;
    }
  }
}
