import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DEMO_APP } from '@settle/contracts';
import grant, { type GrantHandlerResult } from 'grant';
import { baseUrl } from './client.js';
import { callbackUrl } from './sign-in.js';

interface ObservedResponse {
  readonly location: string;
  readonly cookie: string;
  readonly response: { readonly access_token?: string; readonly refresh_token?: string; readonly error?: unknown };
}

/** The handler of grant, with Settle as the provider `venmo` that it knows. */
const createHandler = () =>
  grant.default.node({
    config: {
      defaults: { origin: new URL(baseUrl()).origin, transport: 'state', state: true },
      venmo: {
        authorize_url: `${baseUrl()}/oauth/authorize`,
        access_url: `${baseUrl()}/oauth/access_token`,
        redirect_uri: callbackUrl(),
        key: DEMO_APP.clientId,
        secret: DEMO_APP.clientSecret,
        scope: ['access_profile', 'make_payments'],
      },
    },
    session: { secret: 'of this spec' },
  });

/** Sends one request to an app whose only handler is grant. */
export async function requestGrantApp(path: string, cookie = ''): Promise<ObservedResponse> {
  const app = createHandler();
  const server = createServer((request, response) => {
    void app(request, response).then(({ redirect, response: outcome }: GrantHandlerResult) => {
      if (redirect !== true) response.end(JSON.stringify(outcome));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual', headers: { cookie } });
    const text = await response.text();
    return {
      location: response.headers.get('location') ?? '',
      cookie: response.headers
        .getSetCookie()
        .map((one) => one.split(';')[0])
        .join('; '),
      response: text === '' ? {} : (JSON.parse(text) as ObservedResponse['response']),
    };
  } finally {
    server.close();
  }
}
