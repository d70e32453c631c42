/** A browser without scripts that keeps cookies and submits forms, and does not follow redirects. */
export class PagesBrowser {
  readonly cookies = new Map<string, string>();

  constructor(
    private readonly url: string,
    private readonly headers: Readonly<Record<string, string>> = {},
  ) {}

  get(path: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.#send(path, { headers: { accept: 'text/html', ...headers } });
  }

  post(path: string, fields: Record<string, string> | string, headers: Record<string, string> = {}): Promise<Response> {
    const body = new URLSearchParams(fields).toString();
    const type = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' };
    return this.#send(path, { method: 'POST', body, headers: { ...type, ...headers } });
  }

  /** Submits the form of `html` whose action begins with `action`, with its hidden fields and ticked boxes. */
  submit(html: string, action: string, fields: Record<string, string>, headers = {}): Promise<Response> {
    const form = parseForm(html, action);
    const body = new URLSearchParams({ ...form.fields, ...fields });
    for (const [name, value] of form.ticked) if (!(name in fields)) body.append(name, value);
    return this.post(form.action, body.toString(), headers);
  }

  async #send(path: string, init: RequestInit): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...this.headers, ...(cookie && { cookie }), ...(init.headers as Record<string, string>) };
    const response = await fetch(this.url + path, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const split = pair.indexOf('=');
      this.cookies.set(pair.slice(0, split), pair.slice(split + 1));
    }
    return response;
  }
}

interface Form {
  readonly action: string;
  readonly fields: Record<string, string>;
  readonly ticked: readonly (readonly [name: string, value: string])[];
}

/** Returns the action, the hidden fields and the ticked boxes of a form. */
export function parseForm(html: string, action: string): Form {
  const form = html.split('<form').find((part) => part.includes(`action="${action}`));
  if (!form) throw new Error(`The page has no form with the action ${action}`);
  const hidden = [...form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
  const boxes = [...form.matchAll(/<input type="checkbox" name="([^"]+)" value="([^"]*)" checked/g)];
  return {
    ticked: boxes.map(([, name = '', value = '']) => [name, unescapeHtml(value)] as const),
    action: unescapeHtml(/action="([^"]+)"/.exec(form)?.[1] ?? ''),
    fields: Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, unescapeHtml(value)])),
  };
}

function unescapeHtml(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
