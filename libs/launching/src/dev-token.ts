export interface TokenRequest {
  readonly username: string;
  readonly password: string;
  /** Separated by spaces. */
  readonly scope: string;
  /** The app that gets the token; absent: the demo app. */
  readonly client_id?: string;
}

const TIMEOUT_MS = 10_000;

/** Requests an access token from the Settle at `url`, which must run with `DEV_TOOLS`. Errors: one line each. */
export async function requestToken(url: string, request: TokenRequest): Promise<string> {
  const response = await fetch(`${url}/dev/token`, {
    method: 'POST',
    body: new URLSearchParams({ ...request }),
    // It holds a password.
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (response.status === 404) throw new Error('it needs DEV_TOOLS=true');
  const body = (await response.json().catch(() => ({}))) as Partial<TokenResponse>;
  const { access_token: token, error } = body;
  if (token === undefined) throw new Error(error?.message ?? `status ${response.status}`);
  return token;
}

interface TokenResponse {
  readonly access_token: string;
  readonly error: { readonly message: string };
}
