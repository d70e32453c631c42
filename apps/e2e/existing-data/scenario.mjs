/** Makes payments of every kind through the API, and reads what their users see. */

const SCOPES =
  'make_payments access_profile access_email access_phone access_balance access_friends access_payment_history';
const PEOPLE = ['alice', 'bob', 'carol'];
const OWN_PLACE = '{public_url}';

async function call(url, { method = 'GET', token, form, headers = {} }) {
  const body = form === undefined ? undefined : new URLSearchParams(form);
  const response = await fetch(url, { method, body, headers: { authorization: `Bearer ${token}`, ...headers } });
  return {
    status: response.status,
    replayed: response.headers.get('idempotent-replayed'),
    body: await response.json(),
  };
}

function expectSuccess({ status, body }) {
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
}

/**
 * Resolves with tokens, and with a request that was completed under an idempotency key.
 * @param requestToken resolves with a token of the user for the scopes
 */
export async function makePayments(url, requestToken) {
  const tokens = {};
  for (const username of PEOPLE) tokens[username] = await requestToken(username, SCOPES);
  const ids = {};
  for (const name of PEOPLE) ids[name] = (await me(url, tokens[name])).user.id;
  const pay = async (name, form, { place = 'v1', headers } = {}) =>
    expectSuccess(await call(`${url}/${place}/payments`, { method: 'POST', token: tokens[name], form, headers })).data
      .payment;
  const act = async (name, { id }, action) =>
    expectSuccess(await call(`${url}/v1/payments/${id}`, { method: 'PUT', token: tokens[name], form: { action } }));

  const keyed = { key: 'order-4711', form: { user_id: ids.bob, amount: '5.00', note: 'Kaffee ☕\nund Kuchen' } };
  await pay('alice', keyed.form, { headers: { 'idempotency-key': keyed.key } });
  const toEmail = await pay('alice', { email: 'newcomer@example.org', amount: '1.50', note: 'Held' });
  const request = await pay('alice', { user_id: ids.carol, amount: '-2.00', note: 'Pending request' });
  await pay('alice', { user_id: ids.bob, amount: '-0.75', note: 'Trusted' });
  await act('alice', await pay('bob', { user_id: ids.alice, amount: '-3.00', note: 'Approved' }), 'approve');
  await act('alice', await pay('bob', { user_id: ids.alice, amount: '-1.00', note: 'Denied' }), 'deny');
  await act('alice', await pay('alice', { phone: '+14155550188', amount: '0.60', note: 'Cancelled' }), 'cancel');
  await pay('carol', { user_id: ids.bob, amount: '1.00', note: 'Fails' });
  await pay('alice', { user_id: ids.bob, amount: '150.00', note: 'From the card', audience: 'public' });
  await pay('alice', { user_id: '145434160922624933', amount: '0.10', note: 'Sandbox' }, { place: 'sandbox/v1' });
  await pay('alice', { user_id: ids.bob, amount: '1.00', note: 'Sandbox friend' }, { place: 'sandbox/v1' });
  return { tokens, ids, keyed, pending: { toEmail: toEmail.id, request: request.id } };
}

async function me(url, token, place = 'v1') {
  return expectSuccess(await call(`${url}/${place}/me`, { token })).data;
}

/** Returns profiles, balances and payments of the users in both environments, without the public address. */
export async function observe(url, tokens) {
  const seen = {};
  for (const [name, token] of Object.entries(tokens)) {
    for (const place of ['v1', 'sandbox/v1']) {
      const list = expectSuccess(await call(`${url}/${place}/payments?limit=50`, { token }));
      const friends = expectSuccess(await call(`${url}/v1/users/${(await me(url, token)).user.id}/friends`, { token }));
      seen[`${name} ${place}`] = { me: await me(url, token, place), payments: list, friends };
    }
  }
  return JSON.parse(JSON.stringify(seen).replaceAll(url, OWN_PLACE));
}
