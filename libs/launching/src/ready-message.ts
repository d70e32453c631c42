import type { Settings } from '@settle/config';
import { DEMO_APP, DEMO_PASSWORD, DEMO_USERS } from '@settle/contracts';
import { requestToken } from './sign-in-flow.js';

const DEMO_SCOPE = 'make_payments access_profile access_balance access_payment_history';

/**
 * Returns the output of a complete start: the address and, with the demo data, three lines to copy that pay bob.
 * `url` is where the gateway is reached from this process.
 */
export async function readyMessage({ publicUrl, demo }: Settings, url: string): Promise<string> {
  const ready = `Ready: ${publicUrl}`;
  if (!demo) return ready;
  const { username } = DEMO_USERS.alice;
  const credentials = { clientId: DEMO_APP.clientId, scope: DEMO_SCOPE, username, password: DEMO_PASSWORD };
  let token: string;
  try {
    token = await requestToken({ url, publicUrl, ...credentials });
  } catch (error) {
    // Everything runs; the password of the demo user may have been changed.
    const reason = error instanceof Error ? error.message : String(error);
    return `${ready}

There is no token for ${username} here (${reason}). If the password of ${username} was changed, get one with:

npm run token -- --user ${username} --scope "${DEMO_SCOPE}" --password <password>
`;
  }
  return `${ready}

Pay bob as alice, look at alice's balance, and list the payments (the token lasts 30 minutes):

${curlLines(publicUrl, token).join('\n')}
`;
}

/** One command a line, each to be copied as it is, into any shell. */
export function curlLines(publicUrl: string, token: string): string[] {
  const pay = `-d access_token=${token} -d user_id=${DEMO_USERS.bob.id} -d amount=5.00 -d note=Coffee`;
  return [
    `curl ${publicUrl}/v1/payments ${pay}`,
    `curl "${publicUrl}/v1/me?access_token=${token}"`,
    `curl "${publicUrl}/v1/payments?access_token=${token}"`,
  ];
}
