const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const INITIAL_BYTES = 64 * 1024;
const UTF8_BYTES_PER_UNIT = 3;

/**
 * Encodes rows in the binary format of `copy … from stdin (format binary)`, the cheapest way to insert rows. Call
 * `row(columns)` for each row, and then one method for each column.
 */
export class CopyRows {
  #buffer = Buffer.allocUnsafeSlow(INITIAL_BYTES);
  #offset = 0;
  #rows = 0;

  get isEmpty(): boolean {
    return this.#rows === 0;
  }

  row(columns: number): void {
    if (this.#rows === 0) {
      this.#ensureCapacity(SIGNATURE.length);
      this.#offset = SIGNATURE.copy(this.#buffer, 0);
    }
    this.#rows += 1;
    this.#ensureCapacity(2);
    this.#offset = this.#buffer.writeInt16BE(columns, this.#offset);
  }

  text(value: string | null): void {
    if (value === null) return this.#writeNull();
    this.#ensureCapacity(4 + value.length * UTF8_BYTES_PER_UNIT);
    const bytes = this.#buffer.write(value, this.#offset + 4, 'utf8');
    this.#offset = this.#buffer.writeInt32BE(bytes, this.#offset) + bytes;
  }

  int4(value: number | null): void {
    if (value === null) return this.#writeNull();
    this.#ensureCapacity(8);
    this.#offset = this.#buffer.writeInt32BE(4, this.#offset);
    this.#offset = this.#buffer.writeInt32BE(value, this.#offset);
  }

  /** @param value a safe integer or a string of decimal digits */
  int8(value: number | string | null): void {
    if (value === null) return this.#writeNull();
    this.#ensureCapacity(12);
    this.#offset = this.#buffer.writeInt32BE(8, this.#offset);
    if (typeof value === 'string') {
      this.#offset = this.#buffer.writeBigInt64BE(BigInt(value), this.#offset);
      return;
    }
    const high = Math.floor(value / 2 ** 32);
    this.#offset = this.#buffer.writeInt32BE(high, this.#offset);
    this.#offset = this.#buffer.writeUInt32BE(value - high * 2 ** 32, this.#offset);
  }

  /** Returns the rows with the trailer of the format. The buffer is valid until `clear` is called. */
  finish(): Buffer {
    this.#ensureCapacity(2);
    this.#offset = this.#buffer.writeInt16BE(-1, this.#offset);
    return this.#buffer.subarray(0, this.#offset);
  }

  /** Removes all rows and keeps the memory for the next ones. */
  clear(): void {
    this.#offset = 0;
    this.#rows = 0;
  }

  #writeNull(): void {
    this.#ensureCapacity(4);
    this.#offset = this.#buffer.writeInt32BE(-1, this.#offset);
  }

  #ensureCapacity(bytes: number): void {
    if (this.#offset + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#buffer.length * 2, this.#offset + bytes));
    this.#buffer.copy(larger, 0, 0, this.#offset);
    this.#buffer = larger;
  }
}
