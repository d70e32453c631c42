import { createHash, type Hash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';

/** A file of a backup: its path with `/` relative to the backup's folder, its size, and its SHA-256 in hex. */
export interface FileDigest {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

const CHUNK_BYTES = 1_048_576;

/**
 * Copies a file into a new one that only its owner can read, and returns size and SHA-256 of what was written. Not
 * flushed to disk: of thousands of files that is much faster once all are written.
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

/** Returns size and SHA-256 of a file. */
export async function digestOf(path: string): Promise<Omit<FileDigest, 'path'>> {
  const source = await open(path, 'r');
  try {
    return await digestChunks(source, () => Promise.resolve());
  } finally {
    await source.close();
  }
}

async function digestChunks(
  source: FileHandle,
  take: (chunk: Buffer) => Promise<void>,
): Promise<Omit<FileDigest, 'path'>> {
  const hash: Hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let bytes = 0; ;) {
    const { bytesRead } = await source.read(buffer, 0, CHUNK_BYTES);
    if (bytesRead === 0) return { bytes, sha256: hash.digest('hex') };
    const chunk = buffer.subarray(0, bytesRead);
    hash.update(chunk);
    await take(chunk);
    bytes += bytesRead;
  }
}

async function writeAll(target: FileHandle, chunk: Buffer): Promise<void> {
  for (let at = 0; at < chunk.length;) at += (await target.write(chunk, at)).bytesWritten;
}
