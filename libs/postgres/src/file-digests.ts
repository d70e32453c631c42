import { createHash, type Hash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';

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
export async function copyWithDigest(from: string, to: string): Promise<Omit<FileDigest, 'path'>> {
  const source = await open(from, 'r');
  try {
    const target = await open(to, 'wx', 0o600);
    try {
      return await digestChunks(source, (chunk) => writeAll(target, chunk));
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** Returns the size and SHA-256 of a file. */
export async function computeDigest(path: string): Promise<Omit<FileDigest, 'path'>> {
  const source = await open(path, 'r');
  try {
    return await digestChunks(source, () => Promise.resolve());
  } finally {
    await source.close();
  }
}

async function digestChunks(
  source: FileHandle,
  onChunk: (chunk: Buffer) => Promise<void>,
): Promise<Omit<FileDigest, 'path'>> {
  const hash: Hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let bytes = 0; ;) {
    const { bytesRead } = await source.read(buffer, 0, CHUNK_BYTES);
    if (bytesRead === 0) return { bytes, sha256: hash.digest('hex') };
    const chunk = buffer.subarray(0, bytesRead);
    hash.update(chunk);
    await onChunk(chunk);
    bytes += bytesRead;
  }
}

async function writeAll(target: FileHandle, chunk: Buffer): Promise<void> {
  for (let offset = 0; offset < chunk.length;) offset += (await target.write(chunk, offset)).bytesWritten;
}
