import type { AppendUnit } from './event-store.js';
import { CLOCK_READING } from './database-clock.js';
import { APPEND_LOCK_KEY } from './event-log.migration.js';

/** Placeholder for a deadline, which has the same length. */
const DEADLINE_PLACEHOLDER = '0000-00-00T00:00:00.000Z';
const IS_BEFORE_DEADLINE = `(clock_timestamp() < timestamptz '${DEADLINE_PLACEHOLDER}')::int`;

/**
 * Two divisions by zero reject a late append: the first statement if the lock or the message took too long, the last one
 * if the rows did. So bytes that the network delivers after the writer has given up store nothing.
 */
const STORE_EVENTS =
  `select 1 / case when pg_advisory_xact_lock(${APPEND_LOCK_KEY}) is null then 0 else ${IS_BEFORE_DEADLINE} end; ` +
  'copy events (stream, revision, type, id, data) from stdin (format binary); ' +
  `select lastval() / ${IS_BEFORE_DEADLINE}, ${CLOCK_READING}`;

const COPY_SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const QUERY_MESSAGE = 0x51;
const COPY_DATA_MESSAGE = 0x64;
const COPY_DONE_MESSAGE = 0x63;
/** Column count, five lengths, a revision and an id. */
const FIXED_ROW_BYTES = 2 + 5 * 4 + 4 + 16;
const UTF8_BYTES_PER_UNIT = 3;
const COLUMNS = 5;

const HEX_VALUES = new Uint8Array(128);
for (let digit = 0; digit < 16; digit += 1) HEX_VALUES[digit.toString(16).charCodeAt(0)] = digit;

/** Offsets of the digit pairs of a UUID. */
const UUID_OFFSETS = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34] as const;

/** A unit with the JSON texts of its events, in order. */
export interface EncodableUnit {
  readonly unit: AppendUnit;
  readonly texts: readonly string[];
  readonly byteBound: number;
}

/** Returns the largest size in bytes of the encoded rows of a unit. */
export function computeByteBound(unit: AppendUnit, texts: readonly string[]): number {
  let bytes = 0;
  for (const { stream, events } of unit) {
    for (const { type } of events) bytes += FIXED_ROW_BYTES + stream.length + type.length;
  }
  for (const text of texts) bytes += text.length * UTF8_BYTES_PER_UNIT;
  return bytes;
}

function buildQueryMessage(text: string): Buffer {
  const message = Buffer.alloc(1 + 4 + text.length + 1);
  message[0] = QUERY_MESSAGE;
  message.writeInt32BE(message.length - 1, 1);
  message.write(text, 5, 'latin1');
  return message;
}

const QUERY = buildQueryMessage(STORE_EVENTS);
const DEADLINE_OFFSETS = [QUERY.indexOf(DEADLINE_PLACEHOLDER), QUERY.lastIndexOf(DEADLINE_PLACEHOLDER)] as const;
const COPY_DATA_OFFSET = QUERY.length;
const ROWS_OFFSET = COPY_DATA_OFFSET + 5 + COPY_SIGNATURE.length;
const TRAILER_BYTES = 2 + 5;

/**
 * Encodes an append as the messages Query, CopyData and CopyDone, which need one write and one round trip. The buffer is
 * reused for the next append, so the response to the last one must have arrived.
 */
export class CopyEncoder {
  #buffer = CopyEncoder.#allocate(256 * 1024);
  #offset = ROWS_OFFSET;

  static #allocate(bytes: number): Buffer {
    const buffer = Buffer.allocUnsafeSlow(bytes);
    QUERY.copy(buffer);
    buffer[COPY_DATA_OFFSET] = COPY_DATA_MESSAGE;
    COPY_SIGNATURE.copy(buffer, COPY_DATA_OFFSET + 5);
    return buffer;
  }

  /** @param deadline time on the clock of the database, 24 characters */
  encode(units: readonly EncodableUnit[], deadline: string): Buffer {
    let bytes = ROWS_OFFSET + TRAILER_BYTES;
    for (const { byteBound } of units) bytes += byteBound;
    if (bytes > this.#buffer.length) this.#buffer = CopyEncoder.#allocate(bytes * 2);
    for (const at of DEADLINE_OFFSETS) this.#buffer.write(deadline, at, 'latin1');
    this.#offset = ROWS_OFFSET;
    for (const { unit, texts } of units) this.#writeRows(unit, texts);
    return this.#finish();
  }

  /** Replaces the buffer: the socket may still be sending a failed append from it. */
  reset(): void {
    this.#buffer = CopyEncoder.#allocate(this.#buffer.length);
  }

  #writeRows(unit: AppendUnit, texts: readonly string[]): void {
    let textIndex = 0;
    for (const { stream, expectedRevision, events } of unit) {
      let revision = expectedRevision;
      for (const { id, type } of events) {
        revision += 1;
        this.#writeInt16(COLUMNS);
        this.#writeAscii(stream);
        this.#writeInt32(4);
        this.#writeInt32(revision);
        this.#writeAscii(type);
        this.#writeUuid(id);
        this.#writeUtf8(texts[textIndex] ?? '');
        textIndex += 1;
      }
    }
  }

  #finish(): Buffer {
    this.#writeInt16(-1);
    this.#buffer.writeInt32BE(this.#offset - COPY_DATA_OFFSET - 1, COPY_DATA_OFFSET + 1);
    this.#buffer[this.#offset] = COPY_DONE_MESSAGE;
    this.#offset += 1;
    this.#writeInt32(4);
    return this.#buffer.subarray(0, this.#offset);
  }

  #writeInt16(value: number): void {
    const buffer = this.#buffer;
    buffer[this.#offset] = value >> 8;
    buffer[this.#offset + 1] = value;
    this.#offset += 2;
  }

  #writeInt32(value: number): void {
    const buffer = this.#buffer;
    buffer[this.#offset] = value >> 24;
    buffer[this.#offset + 1] = value >> 16;
    buffer[this.#offset + 2] = value >> 8;
    buffer[this.#offset + 3] = value;
    this.#offset += 4;
  }

  #writeAscii(text: string): void {
    this.#writeInt32(text.length);
    this.#offset += this.#buffer.write(text, this.#offset, 'latin1');
  }

  #writeUtf8(text: string): void {
    const lengthOffset = this.#offset;
    const written = this.#buffer.write(text, lengthOffset + 4, 'utf8');
    this.#writeInt32(written);
    this.#offset += written;
  }

  #writeUuid(id: string): void {
    const buffer = this.#buffer;
    this.#writeInt32(16);
    for (const pairOffset of UUID_OFFSETS) {
      buffer[this.#offset] =
        ((HEX_VALUES[id.charCodeAt(pairOffset)] ?? 0) << 4) | (HEX_VALUES[id.charCodeAt(pairOffset + 1)] ?? 0);
      this.#offset += 1;
    }
  }
}
