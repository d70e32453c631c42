import { formsOf, type HtmlForm } from './html-form.js';

export interface TokenRequest {
  /** Where the gateway is reached from here. */
  readonly url: string;
  /** Where it says that it is: what its redirects begin with. */
  readonly publicUrl: string;
  readonly clientId: string;
  /** Separated by spaces. */
  readonly scope: string;
  readonly username: string;
  readonly password: string;
}

const MOST_STEPS = 10;
const STEP_TIMEOUT_MS = 10_000;

/**
 * Gets an access token as a person with a browser does: asks for it, signs in, allows it, follows the redirects.
 * Errors: one line that names the step that was refused.
 */
export async function requestToken(request: TokenRequest): Promise<string> {
  const browser = new Browser(request);
  const query = new URLSearchParams({ client_id: request.clientId, scope: request.scope });
  let answer = await browser.open(`${request.publicUrl}/v1/oauth/authorize?${query.toString()}`);
  let hasSignedIn = false;
  for (let step = 0; step < MOST_STEPS; step += 1) {
    if (answer.redirect !== null) {
      const outcome = outcomeIn(answer.redirect);
      if (outcome !== null) return outcome;
      answer = await browser.open(answer.redirect);
      continue;
    }
    const { signIn, consent } = recognize(answer.html);
    if (signIn !== undefined && !hasSignedIn) {
      hasSignedIn = true;
      answer = await browser.send(signIn, { username: request.username, password: request.password });
    } else if (consent !== undefined) {
      answer = await browser.send(consent, pressed(consent, 'Allow'));
    } else {
      throw new Error(hasSignedIn ? 'The sign-in was refused' : `The request was refused (status ${answer.status})`);
    }
  }
  throw new Error('The sign-in did not come to an end');
}

function recognize(html: string): { signIn: HtmlForm | undefined; consent: HtmlForm | undefined } {
  const forms = formsOf(html);
  return {
    signIn: forms.find((form) => form.asksPassword),
    consent: forms.find((form) => form.buttons.has('Allow')),
  };
}

function pressed(form: HtmlForm, text: string): Record<string, string> {
  const button = form.buttons.get(text);
  return button === undefined || button.name === null ? {} : { [button.name]: button.value };
}

/** The token when the address carries one, null when the way goes on. */
function outcomeIn(address: URL): string | null {
  const refusal = address.searchParams.get('error');
  if (refusal !== null) throw new Error(`The app was refused: ${refusal}`);
  return address.searchParams.get('access_token');
}

interface Answer {
  readonly status: number;
  readonly html: string;
  readonly redirect: URL | null;
}

/** Keeps cookies and its place, and stops at every redirect. */
class Browser {
  readonly #cookies = new Map<string, string>();
  readonly #url: string;
  readonly #publicUrl: string;
  #place: URL;

  constructor({ url, publicUrl }: TokenRequest) {
    this.#url = url;
    this.#publicUrl = publicUrl;
    this.#place = new URL(publicUrl);
  }

  open(address: string | URL): Promise<Answer> {
    return this.#fetch(new URL(address), { method: 'GET' });
  }

  send(form: HtmlForm, values: Record<string, string>): Promise<Answer> {
    const body = new URLSearchParams();
    for (const [name, value] of form.fields) body.append(name, value);
    for (const [name, value] of Object.entries(values)) body.set(name, value);
    return this.#fetch(new URL(form.action ?? '', this.#place), { method: 'POST', body });
  }

  async #fetch(address: URL, init: RequestInit): Promise<Answer> {
    if (address.origin !== this.#publicUrl) throw new Error(`The sign-in leads away, to ${address.origin}`);
    this.#place = address;
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(`${this.#url}${address.pathname}${address.search}`, {
      ...init,
      headers: { cookie, accept: 'text/html', origin: this.#publicUrl },
      redirect: 'manual',
      signal: AbortSignal.timeout(STEP_TIMEOUT_MS),
    });
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    const location = response.headers.get('location');
    const redirect = location === null ? null : new URL(location, address);
    return { status: response.status, html: await response.text(), redirect };
  }

  #keep(line: string): void {
    const [pair = ''] = line.split(';');
    const at = pair.indexOf('=');
    this.#cookies.set(pair.slice(0, at).trim(), pair.slice(at + 1).trim());
  }
}
