import type { BookObject, ObjectKind } from './book-object.js';
import type { BooksWriter, NewObject } from './books-writer.js';
import { create } from './lifecycle.js';

/** `conflict`: the key has other content. `too_late`: `begin_before` had passed, so that the key never begins. */
export type PutResult =
  | { readonly outcome: 'created' | 'existing'; readonly object: BookObject }
  | { readonly outcome: 'conflict' | 'too_late' };

interface PutRequest {
  readonly kind: ObjectKind;
  readonly key: string;
  /** The content that a request for the same key must repeat. */
  readonly content: string;
  /** Null: a source, which may begin at any time. */
  readonly beginBefore: string | null;
}

/**
 * Returns the object of a permanent key, or creates it. A request that comes after its `begin_before` is refused, and so
 * is each later one for its key, whatever that says: the key has been reported as unknown, and stays so.
 * @param make returns the new object
 */
export async function putOnce(
  writer: BooksWriter,
  { kind, key, content, beginBefore }: PutRequest,
  make: () => Promise<NewObject>,
): Promise<PutResult> {
  const object = await writer.find(kind, key);
  if (object !== null) return existing(object, content);
  if (await writer.isRefused(kind, key)) return { outcome: 'too_late' };
  if (beginBefore !== null && writer.at.getTime() >= Date.parse(beginBefore)) {
    await writer.refuse(kind, key);
    return { outcome: 'too_late' };
  }
  return { outcome: 'created', object: await create(writer, await make()) };
}

/** Returns an object of the key if the request repeats its content. */
export function existing(object: BookObject, content: string): PutResult {
  return object.content === content ? { outcome: 'existing', object } : { outcome: 'conflict' };
}
