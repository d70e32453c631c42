import { expectDocumented } from './documented-responses.js';
import { expectSafe } from './safe-responses.js';

export interface Form {
  readonly action: string;
  readonly method: string;
  /** Initial values of the inputs, including hidden ones and without buttons. */
  readonly fields: Readonly<Record<string, string>>;
  /** Check boxes that are ticked initially. */
  readonly ticked: readonly (readonly [name: string, value: string])[];
  readonly buttons: readonly { readonly name: string; readonly value: string; readonly label: string }[];
}

export interface Page {
  readonly url: URL;
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  readonly forms: readonly Form[];
}

const PAGE_TIMEOUT_MS = 30_000;
const MOST_REDIRECTS = 8;

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", apos: "'" };

/** Decodes the entities of an attribute or text value. */
export function unescapeHtml(text: string): string {
  return text
    .replace(/&#x([0-9a-f]+);/gi, (_, hex: string) => String.fromCodePoint(parseInt(hex, 16)))
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replace(/&(\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole);
}

function attribute(tag: string, name: string): string | null {
  const found = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s>]+))`, 'i').exec(tag);
  return found === null ? null : unescapeHtml(found[1] ?? found[2] ?? found[3] ?? '');
}

function formsOf(html: string): Form[] {
  return [...html.matchAll(/<form\b[^>]*>[\s\S]*?<\/form>/gi)].map(([form]) => {
    const inputs = [...form.matchAll(/<input\b[^>]*>/gi)].map(([tag]) => tag);
    const isButton = (tag: string) => attribute(tag, 'type')?.toLowerCase() === 'submit';
    const isBox = (tag: string) => attribute(tag, 'type')?.toLowerCase() === 'checkbox';
    const named = inputs.filter((tag) => !isButton(tag) && !isBox(tag) && attribute(tag, 'name') !== null);
    const boxes = inputs.filter((tag) => isBox(tag) && /\schecked[\s>]/i.test(tag));
    const buttons = [...form.matchAll(/<button\b[^>]*>([\s\S]*?)<\/button>/gi)].map(([tag, label]) => ({
      name: attribute(tag, 'name') ?? '',
      value: attribute(tag, 'value') ?? '',
      label: (label ?? '').replace(/<[^>]*>/g, '').trim(),
    }));
    const submits = inputs.filter(isButton).map((tag) => ({
      name: attribute(tag, 'name') ?? '',
      value: attribute(tag, 'value') ?? '',
      label: attribute(tag, 'value') ?? '',
    }));
    const head = /<form\b[^>]*>/i.exec(form)?.[0] ?? '';
    return {
      action: attribute(head, 'action') ?? '',
      method: (attribute(head, 'method') ?? 'get').toUpperCase(),
      fields: Object.fromEntries(named.map((tag) => [attribute(tag, 'name') ?? '', attribute(tag, 'value') ?? ''])),
      ticked: boxes.map((tag) => [attribute(tag, 'name') ?? '', attribute(tag, 'value') ?? 'on'] as const),
      buttons: [...buttons, ...submits],
    };
  });
}

/**
 * A browser without scripts. It keeps cookies, follows redirects within the product, and fills in forms. It does not
 * follow a redirect for which `leaves` is true: the page then is the redirect itself, with its target as the address.
 * Its IP address is `from`, which it sends as a proxy would, or the address of the specs.
 */
export class Browser {
  readonly #cookies = new Map<string, string>();

  constructor(
    private readonly leaves: (url: URL) => boolean,
    private readonly from?: string,
  ) {}

  async open(url: string | URL): Promise<Page> {
    return this.#follow(new URL(url), { method: 'GET' });
  }

  /** Fills in `fields`, which replace ticked boxes of the same name, and presses the button with this label or the first button. */
  async submit(page: Page, fields: Readonly<Record<string, string>>, label?: string): Promise<Page> {
    const form = page.forms.find(({ buttons }) => label === undefined || buttons.some((one) => one.label === label));
    if (form === undefined) throw new Error(`No form with a button "${label}" at ${page.url.pathname}.`);
    const button = form.buttons.find((one) => label === undefined || one.label === label);
    const pressed = button === undefined || button.name === '' ? {} : { [button.name]: button.value };
    const body = new URLSearchParams({ ...form.fields, ...fields, ...pressed });
    for (const [name, value] of form.ticked) if (!(name in fields)) body.append(name, value);
    return this.send(new URL(form.action === '' ? page.url : form.action, page.url), form.method, body);
  }

  /** Sends form fields without a page. */
  async send(url: URL, method: string, body: URLSearchParams): Promise<Page> {
    if (method !== 'GET') return this.#follow(url, { method, body });
    const target = new URL(url);
    target.search = body.toString();
    return this.#follow(target, { method });
  }

  async #follow(start: URL, first: RequestInit): Promise<Page> {
    let url = start;
    let request = first;
    for (let hop = 0; hop < MOST_REDIRECTS; hop += 1) {
      const response = await fetch(url, {
        ...request,
        redirect: 'manual',
        headers: {
          cookie: [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; '),
          ...(this.from === undefined ? {} : { 'x-forwarded-for': this.from }),
        },
        signal: AbortSignal.timeout(PAGE_TIMEOUT_MS),
      });
      this.#keep(response.headers);
      const html = await response.text();
      const { status, headers } = response;
      const observed = { method: request.method ?? 'GET', url: url.href, status, headers, text: html };
      expectDocumented(observed);
      expectSafe(observed);
      const location = response.headers.get('location');
      const page = { status: response.status, headers: response.headers, html, forms: formsOf(html) };
      if (location === null) return { ...page, url };
      const next = new URL(location, url);
      if (this.leaves(next)) return { ...page, url: next };
      if (next.origin !== start.origin) throw new Error(`${url.pathname} redirects to ${next.origin}.`);
      url = next;
      request = { method: 'GET' };
    }
    throw new Error(`More than ${MOST_REDIRECTS} redirects from ${start.pathname}.`);
  }

  #keep(headers: Headers): void {
    for (const cookie of headers.getSetCookie()) {
      const [pair = '', ...attributes] = cookie.split(';');
      const at = pair.indexOf('=');
      const isGone = attributes.some((one) => /^\s*max-age=0\s*$/i.test(one));
      if (isGone) this.#cookies.delete(pair.slice(0, at));
      else this.#cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
  }
}
