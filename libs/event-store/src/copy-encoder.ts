import type { AppendUnit } from './event-store.js';
import { CLOCK_READING } from './database-clock.js';
import { APPEND_LOCK_KEY } from './event-log.migration.js';

/** Takes the place of a deadline: what is written there has as many characters. */
const A_DEADLINE = '0000-00-00T00:00:00.000Z';
const IS_IN_TIME = `(clock_timestamp() < timestamptz '${A_DEADLINE}')::int`;

/**
 * Two divisions by zero refuse what comes late: the first statement when the lock or the message itself took too long,
 * the last one when the rows did. So bytes that a network delivers after the writer has given up store nothing.
 */
const STORE_EVENTS =
  `select 1 / case when pg_advisory_xact_lock(${APPEND_LOCK_KEY}) is null then 0 else ${IS_IN_TIME} end; ` +
  'copy events (stream, revision, type, id, data) from stdin (format binary); ' +
  `select lastval() / ${IS_IN_TIME}, ${CLOCK_READING}`;

const COPY_SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const QUERY_MESSAGE = 0x51;
const COPY_DATA_MESSAGE = 0x64;
const COPY_DONE_MESSAGE = 0x63;
/** Columns, five lengths, a revision and an id. */
const FIXED_ROW_BYTES = 2 + 5 * 4 + 4 + 16;
const UTF8_BYTES_PER_UNIT = 3;
const COLUMNS = 5;

const HEX = new Uint8Array(128);
for (let digit = 0; digit < 16; digit += 1) HEX[digit.toString(16).charCodeAt(0)] = digit;

/** Places of the 32 digits of a UUID, two by two. */
const UUID_PLACES = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34] as const;

/** A unit as it waits: the JSON texts of its events in order, made when it came in. */
export interface EncodableUnit {
  readonly unit: AppendUnit;
  readonly texts: readonly string[];
  readonly byteBound: number;
}

/** The most bytes that the rows of a unit can take. */
export function unitByteBound(unit: AppendUnit, texts: readonly string[]): number {
  let bytes = 0;
  for (const { stream, events } of unit) {
    for (const { type } of events) bytes += FIXED_ROW_BYTES + stream.length + type.length;
  }
  for (const text of texts) bytes += text.length * UTF8_BYTES_PER_UNIT;
  return bytes;
}

function queryMessage(text: string): Buffer {
  const message = Buffer.alloc(1 + 4 + text.length + 1);
  message[0] = QUERY_MESSAGE;
  message.writeInt32BE(message.length - 1, 1);
  message.write(text, 5, 'latin1');
  return message;
}

const QUERY = queryMessage(STORE_EVENTS);
const DEADLINES_AT = [QUERY.indexOf(A_DEADLINE), QUERY.lastIndexOf(A_DEADLINE)] as const;
const COPY_DATA_AT = QUERY.length;
const ROWS_AT = COPY_DATA_AT + 5 + COPY_SIGNATURE.length;
const TRAILER_BYTES = 2 + 5;

/**
 * Writes one append as the server wants it, Query, CopyData and CopyDone in a row: it takes one write and one round
 * trip. The buffer is used again for the next append, so the one before must have been answered.
 */
export class CopyEncoder {
  #buffer = CopyEncoder.#begin(256 * 1024);
  #at = ROWS_AT;

  static #begin(bytes: number): Buffer {
    const buffer = Buffer.allocUnsafeSlow(bytes);
    QUERY.copy(buffer);
    buffer[COPY_DATA_AT] = COPY_DATA_MESSAGE;
    COPY_SIGNATURE.copy(buffer, COPY_DATA_AT + 5);
    return buffer;
  }

  /** @param deadline by the database's clock, 24 characters */
  encode(units: readonly EncodableUnit[], deadline: string): Buffer {
    let bytes = ROWS_AT + TRAILER_BYTES;
    for (const { byteBound } of units) bytes += byteBound;
    if (bytes > this.#buffer.length) this.#buffer = CopyEncoder.#begin(bytes * 2);
    for (const at of DEADLINES_AT) this.#buffer.write(deadline, at, 'latin1');
    this.#at = ROWS_AT;
    for (const { unit, texts } of units) this.#rows(unit, texts);
    return this.#finish();
  }

  /** Gives the buffer up: an append that failed may still be on its way out. */
  reset(): void {
    this.#buffer = CopyEncoder.#begin(this.#buffer.length);
  }

  #rows(unit: AppendUnit, texts: readonly string[]): void {
    let text = 0;
    for (const { stream, expectedRevision, events } of unit) {
      let revision = expectedRevision;
      for (const { id, type } of events) {
        revision += 1;
        this.#int16(COLUMNS);
        this.#ascii(stream);
        this.#int32(4);
        this.#int32(revision);
        this.#ascii(type);
        this.#uuid(id);
        this.#utf8(texts[text] ?? '');
        text += 1;
      }
    }
  }

  #finish(): Buffer {
    this.#int16(-1);
    this.#buffer.writeInt32BE(this.#at - COPY_DATA_AT - 1, COPY_DATA_AT + 1);
    this.#buffer[this.#at] = COPY_DONE_MESSAGE;
    this.#at += 1;
    this.#int32(4);
    return this.#buffer.subarray(0, this.#at);
  }

  #int16(value: number): void {
    const buffer = this.#buffer;
    buffer[this.#at] = value >> 8;
    buffer[this.#at + 1] = value;
    this.#at += 2;
  }

  #int32(value: number): void {
    const buffer = this.#buffer;
    buffer[this.#at] = value >> 24;
    buffer[this.#at + 1] = value >> 16;
    buffer[this.#at + 2] = value >> 8;
    buffer[this.#at + 3] = value;
    this.#at += 4;
  }

  #ascii(text: string): void {
    this.#int32(text.length);
    this.#at += this.#buffer.write(text, this.#at, 'latin1');
  }

  #utf8(text: string): void {
    const lengthAt = this.#at;
    const written = this.#buffer.write(text, lengthAt + 4, 'utf8');
    this.#int32(written);
    this.#at += written;
  }

  #uuid(id: string): void {
    const buffer = this.#buffer;
    this.#int32(16);
    for (const place of UUID_PLACES) {
      buffer[this.#at] = ((HEX[id.charCodeAt(place)] ?? 0) << 4) | (HEX[id.charCodeAt(place + 1)] ?? 0);
      this.#at += 1;
    }
  }
}
