import type { Scope } from '@settle/contracts';

/** What the app is sent: a token (the client-side flow) or a code for one (the server-side flow). */
export type ResponseType = 'token' | 'code';

/** An app's request to act for somebody, checked: nothing in it is taken from a browser on trust. */
export interface AuthorizationRequest {
  readonly appId: string;
  readonly appName: string;
  readonly siteUrl: string;
  /** Who registered the app. */
  readonly developerId: string;
  readonly redirectUri: string;
  readonly responseType: ResponseType;
  /** Of the method S256; null when none was sent. */
  readonly challenge: string | null;
  /** Whether the app has a secret, so that nobody else can redeem what is meant for it. */
  readonly hasSecret: boolean;
  readonly scopes: readonly Scope[];
  /** Null when the app sent none. */
  readonly state: string | null;
  /** As it came, to be carried through the pages and read again. */
  readonly query: string;
}

/** Error codes that an app is told through its redirect address. */
export type AuthorizationError =
  'access_denied' | 'invalid_request' | 'invalid_scope' | 'unauthorized_client' | 'unsupported_response_type';

/** The app is known and so is its address: it is told there what is wrong with its request. */
export class AuthorizationRefused extends Error {
  constructor(
    readonly reason: AuthorizationError,
    readonly answer: Pick<AuthorizationRequest, 'redirectUri' | 'state'>,
    description: string,
  ) {
    super(description);
    this.name = 'AuthorizationRefused';
  }
}
