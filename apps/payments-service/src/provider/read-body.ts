import { MAX_BODY_BYTES } from '@settle/provider-api';

/** Reads a body of at most `MAX_BODY_BYTES`; null if it is larger: the rest is not read. */
export async function readBody(body: AsyncIterable<Buffer>): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
