import type { Settings } from '@settle/config';
import { DEMO_PASSWORD, DEMO_USERS } from '@settle/contracts';
import { requestToken } from './dev-token.js';

const DEMO_SCOPE = 'make_payments access_profile access_balance access_payment_history';

/**
 * Returns the output of a complete start: the address and what `exampleRequests` returns.
 * @param url the address of the gateway for this process
 */
export async function readyMessage(settings: Settings, url: string): Promise<string> {
  const examples = await exampleRequests(settings, url);
  return examples === '' ? readyLine(settings) : `${readyLine(settings)}\n\n${examples}`;
}

/** Returns the line with the address. */
export function readyLine({ publicUrl }: Pick<Settings, 'publicUrl'>): string {
  return `Ready: ${publicUrl}`;
}

/**
 * Returns what follows the address: with the demo data and the developer tools, three lines to copy that pay bob, with a
 * token that is requested for them; otherwise nothing.
 * @param url as for `readyMessage`
 */
export async function exampleRequests({ publicUrl, demo, devTools }: Settings, url: string): Promise<string> {
  if (!demo || !devTools) return '';
  const { alice, bob } = DEMO_USERS;
  const { username } = alice;
  let token: string;
  try {
    token = await requestToken(url, { username, password: DEMO_PASSWORD, scope: DEMO_SCOPE });
  } catch (error) {
    // Everything runs; the password of the demo user may have been changed.
    const reason = error instanceof Error ? error.message : String(error);
    return `There is no token for ${username} here (${reason}). If the password of ${username} was changed, get one with:

npm run token -- --user ${username} --scope "${DEMO_SCOPE}" --password <password>
`;
  }
  return `Pay bob as alice, look at alice's balance, and list the payments (the token lasts 30 minutes):

curl ${publicUrl}/v1/payments -d access_token=${token} -d user_id=${bob.id} -d amount=5.00 -d note=Coffee
curl "${publicUrl}/v1/me?access_token=${token}"
curl "${publicUrl}/v1/payments?access_token=${token}"
`;
}
