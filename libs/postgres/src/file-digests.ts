import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** A file of a backup: its path, relative to the folder of the backup, its size, and its SHA-256 in hex. */
export interface FileDigest {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

const CHUNK_BYTES = 1_048_576;

/**
 * Copies a file to a new one that only its owner can read, and returns the size and SHA-256 of the copy. The copy is not
 * flushed to disk: flushing once, after thousands of files, is much faster.
 */
export function copyWithDigest(from: string, to: string): Promise<Omit<FileDigest, 'path'>> {
  return digest(from, () => createWriteStream(to, { flags: 'wx', mode: 0o600 }));
}

/** Returns the size and SHA-256 of a file. */
export function computeDigest(path: string): Promise<Omit<FileDigest, 'path'>> {
  return digest(path, () => new Writable({ write: (_chunk, _encoding, done) => done() }));
}

/** @param openTarget called once the file is open: a file that is missing gets no copy */
async function digest(path: string, openTarget: () => Writable): Promise<Omit<FileDigest, 'path'>> {
  const source = (await open(path, 'r')).createReadStream({ highWaterMark: CHUNK_BYTES });
  const hash = createHash('sha256');
  let bytes = 0;
  const addToHash = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  };
  await pipeline(source, addToHash, openTarget());
  return { bytes, sha256: hash.digest('hex') };
}
