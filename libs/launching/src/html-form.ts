/** A form of a page, as a browser would send it. */
export interface HtmlForm {
  /** As written; absent when the form goes back to the page's own address. */
  readonly action: string | null;
  /** Fields that already have a value, hidden ones mostly; a box without a tick has none. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly asksPassword: boolean;
  /** The fields that each button adds, by its text. */
  readonly buttons: ReadonlyMap<string, { readonly name: string | null; readonly value: string }>;
}

const FORM = /<form\b([^>]*)>([\s\S]*?)<\/form>/gi;
const INPUT = /<input\b([^>]*)>/gi;
const BUTTON = /<button\b([^>]*)>([\s\S]*?)<\/button>/gi;
const ATTRIBUTE = /([a-z-]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/gi;
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** The forms of a page of our own. Not a parser for pages of others. */
export function formsOf(html: string): HtmlForm[] {
  return [...html.matchAll(FORM)].map(([, head = '', body = '']) => {
    const inputs = [...body.matchAll(INPUT)].map(([, text = '']) => attributesOf(text));
    return {
      action: attributesOf(head).get('action') ?? null,
      fields: fieldsOf(inputs),
      asksPassword: inputs.some((input) => input.get('type') === 'password'),
      buttons: buttonsOf(body),
    };
  });
}

function fieldsOf(inputs: readonly Map<string, string>[]): [string, string][] {
  const named = inputs.filter((input) => input.has('name') && input.has('value') && input.get('type') !== 'submit');
  const sent = named.filter((input) => input.get('type') !== 'checkbox' || input.has('checked'));
  return sent.map((input) => [input.get('name') ?? '', input.get('value') ?? '']);
}

function buttonsOf(body: string): HtmlForm['buttons'] {
  return new Map(
    [...body.matchAll(BUTTON)].map(([, head = '', content = '']) => {
      const attributes = attributesOf(head);
      const text = unescapeHtml(content.replace(/<[^>]*>/g, '')).trim();
      return [text, { name: attributes.get('name') ?? null, value: attributes.get('value') ?? '' }];
    }),
  );
}

function attributesOf(text: string): Map<string, string> {
  return new Map(
    [...text.matchAll(ATTRIBUTE)].map(([, name = '', double, single, bare]) => [
      name.toLowerCase(),
      unescapeHtml(double ?? single ?? bare ?? ''),
    ]),
  );
}

function unescapeHtml(text: string): string {
  return text.replace(/&(#x[0-9a-f]+|#\d+|[a-z]+);/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return ENTITIES[name] ?? whole;
    const code = /^#x/i.test(name) ? parseInt(name.slice(2), 16) : Number(name.slice(1));
    return String.fromCodePoint(code);
  });
}
