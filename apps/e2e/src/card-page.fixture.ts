/**
 * Enters a card on the provider's page, as a browser that the product has redirected there. Returns the way back.
 * @param page as it is reached from here
 */
export async function enterCard(page: URL, cardNumber: string): Promise<URL> {
  const form = await fetch(page);
  expect(await form.text()).toContain('name="card_number"');
  const policy = form.headers.get('content-security-policy') ?? '';
  const answer = await sendCard(page, cardNumber);
  expect(answer.status).toBe(303);
  const back = new URL(answer.headers.get('location') ?? '');
  // Browsers apply this directive to redirects, too.
  expect(/form-action ([^;]*)/.exec(policy)?.[1]?.split(' ')).toContain(back.origin);
  return back;
}

/** Sends the form of the provider's page. */
export function sendCard(page: URL, cardNumber: string): Promise<Response> {
  return fetch(page, { method: 'POST', body: new URLSearchParams({ card_number: cardNumber }), redirect: 'manual' });
}
