import type { Caller } from './caller.js';

interface Page<Item> {
  readonly data: Item[];
  readonly pagination: { readonly next: string | null };
}

type Parameter = string | number | readonly string[] | undefined;

/** A list of the API. It is read page by page while it is iterated over, each time from its beginning. */
export class PagedList<Item> implements AsyncIterable<Item> {
  constructor(
    private readonly caller: Caller,
    private readonly path: string,
    private readonly query: Readonly<Record<string, Parameter>>,
  ) {}

  /** Yields the entries. Errors: those of reading a page. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void> {
    for await (const page of this.pages()) yield* page;
  }

  /** Yields the entries of each page. `limit` is the size of a page. Errors: `SettleError`, `ConnectionError`. */
  async *pages(): AsyncGenerator<Item[], void> {
    for (let search: string | null = searchOf(this.query); search !== null;) {
      const page: Page<Item> = await this.caller.send({ method: 'GET', path: this.path + search });
      yield page.data;
      // Only the query of the link: the token is sent to no other address than the client's.
      search = page.pagination.next === null ? null : new URL(page.pagination.next).search;
    }
  }
}

function searchOf(query: Readonly<Record<string, Parameter>>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value));
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}
