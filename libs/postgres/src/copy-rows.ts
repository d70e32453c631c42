const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const INITIAL_BYTES = 64 * 1024;
const UTF8_BYTES_PER_UNIT = 3;
/** In place of the length of a value. */
const NULL_LENGTH = -1;

const HEX_VALUES = new Uint8Array(128);
for (let digit = 0; digit < 16; digit += 1) HEX_VALUES[digit.toString(16).charCodeAt(0)] = digit;
/** Offsets of the digit pairs of a UUID. */
const UUID_OFFSETS = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34] as const;

/**
 * Encodes rows in the binary format of `copy … from stdin (format binary)`, the cheapest way to insert rows. Call
 * `row(columns)` for each row, and then one method for each column.
 */
export class CopyRows {
  #buffer = Buffer.allocUnsafeSlow(INITIAL_BYTES);
  #offset = 0;
  #rows = 0;

  row(columns: number): void {
    if (this.#rows === 0) {
      this.#ensureCapacity(SIGNATURE.length);
      this.#offset = SIGNATURE.copy(this.#buffer, 0);
    }
    this.#rows += 1;
    this.#writeInt16(columns);
  }

  text(value: string | null): void {
    if (value === null) return this.#writeInt32(NULL_LENGTH);
    this.#ensureCapacity(4 + value.length * UTF8_BYTES_PER_UNIT);
    const bytes = this.#buffer.write(value, this.#offset + 4, 'utf8');
    this.#writeInt32(bytes);
    this.#offset += bytes;
  }

  int4(value: number | null): void {
    if (value === null) return this.#writeInt32(NULL_LENGTH);
    this.#writeInt32(4);
    this.#writeInt32(value);
  }

  /** @param value a safe integer or a string of decimal digits */
  int8(value: number | string | null): void {
    if (value === null) return this.#writeInt32(NULL_LENGTH);
    this.#writeInt32(8);
    if (typeof value === 'string') {
      this.#ensureCapacity(8);
      this.#offset = this.#buffer.writeBigInt64BE(BigInt(value), this.#offset);
      return;
    }
    const high = Math.floor(value / 2 ** 32);
    this.#writeInt32(high);
    this.#writeInt32(value - high * 2 ** 32);
  }

  /** @param value a lowercase UUID, decoded by hand because `Buffer.write` would need a copy without its hyphens */
  uuid(value: string): void {
    this.#writeInt32(16);
    this.#ensureCapacity(16);
    const buffer = this.#buffer;
    let offset = this.#offset;
    for (const at of UUID_OFFSETS) {
      const high = HEX_VALUES[value.charCodeAt(at)] ?? 0;
      buffer[offset] = (high << 4) | (HEX_VALUES[value.charCodeAt(at + 1)] ?? 0);
      offset += 1;
    }
    this.#offset = offset;
  }

  /** Returns the rows with the trailer of the format. The buffer is valid until `clear` is called. */
  finish(): Buffer {
    this.#writeInt16(-1);
    return this.#buffer.subarray(0, this.#offset);
  }

  /** Removes all rows and keeps the memory for the next ones. */
  clear(): void {
    this.#offset = 0;
    this.#rows = 0;
  }

  #writeInt16(value: number): void {
    this.#ensureCapacity(2);
    this.#buffer[this.#offset] = value >> 8;
    this.#buffer[this.#offset + 1] = value;
    this.#offset += 2;
  }

  /** Writes the bytes one by one, which is faster than `Buffer.writeInt32BE`. */
  #writeInt32(value: number): void {
    this.#ensureCapacity(4);
    const buffer = this.#buffer;
    buffer[this.#offset] = value >> 24;
    buffer[this.#offset + 1] = value >> 16;
    buffer[this.#offset + 2] = value >> 8;
    buffer[this.#offset + 3] = value;
    this.#offset += 4;
  }

  #ensureCapacity(bytes: number): void {
    if (this.#offset + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#buffer.length * 2, this.#offset + bytes));
    this.#buffer.copy(larger, 0, 0, this.#offset);
    this.#buffer = larger;
  }
}
