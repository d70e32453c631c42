import { LIMITS } from '@settle/config';

interface ClientCredentials {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string | null;
}

/**
 * Returns a function that returns a valid access token. It gets tokens by client credentials (RFC 6749, section 4.4) and
 * keeps one for three quarters of its life. Errors: one line with the status of the response, never its text.
 */
export function createClientCredentialsTokenSource(credentials: ClientCredentials): () => Promise<string> {
  let token: Promise<string> | null = null;
  let renewAtMs = 0;
  return () => {
    if (token !== null && performance.now() < renewAtMs) return token;
    renewAtMs = Infinity;
    token = requestToken(credentials).then(
      ({ value, lifeMs }) => {
        renewAtMs = performance.now() + 0.75 * lifeMs;
        return value;
      },
      (error: unknown) => {
        token = null;
        throw error;
      },
    );
    return token;
  };
}

async function requestToken({ tokenUrl, clientId, clientSecret, scope }: ClientCredentials) {
  const basic = Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`).toString('base64');
  const response = await fetch(tokenUrl, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}`, accept: 'application/json' },
    body: new URLSearchParams({ grant_type: 'client_credentials', ...(scope === null ? {} : { scope }) }),
    // The secret goes to the configured server alone.
    redirect: 'error',
    signal: AbortSignal.timeout(LIMITS.kafka.tokenWaitMs),
  });
  if (!response.ok) throw new Error(`KAFKA_TOKEN_URL answered ${response.status}`);
  const body = (await response.json()) as { readonly access_token?: unknown; readonly expires_in?: unknown };
  if (typeof body.access_token !== 'string') throw new Error('KAFKA_TOKEN_URL answered without an access_token');
  const lifeMs = typeof body.expires_in === 'number' ? body.expires_in * 1_000 : 0;
  return { value: body.access_token, lifeMs };
}
