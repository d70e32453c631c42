const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const FIRST_BYTES = 64 * 1024;
const UTF8_BYTES_PER_UNIT = 3;

/**
 * Rows in the binary form that `copy … from stdin (format binary)` reads: the cheapest way into a table. Each row
 * begins with `row(columns)` and is followed by one call for each column.
 */
export class CopyRows {
  #buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #at = 0;
  #rows = 0;

  get isEmpty(): boolean {
    return this.#rows === 0;
  }

  row(columns: number): void {
    if (this.#rows === 0) {
      this.#room(SIGNATURE.length);
      this.#at = SIGNATURE.copy(this.#buffer, 0);
    }
    this.#rows += 1;
    this.#room(2);
    this.#at = this.#buffer.writeInt16BE(columns, this.#at);
  }

  text(value: string | null): void {
    if (value === null) return this.#null();
    this.#room(4 + value.length * UTF8_BYTES_PER_UNIT);
    const bytes = this.#buffer.write(value, this.#at + 4, 'utf8');
    this.#at = this.#buffer.writeInt32BE(bytes, this.#at) + bytes;
  }

  int4(value: number | null): void {
    if (value === null) return this.#null();
    this.#room(8);
    this.#at = this.#buffer.writeInt32BE(4, this.#at);
    this.#at = this.#buffer.writeInt32BE(value, this.#at);
  }

  /** @param value a safe integer, or decimal digits */
  int8(value: number | string | null): void {
    if (value === null) return this.#null();
    this.#room(12);
    this.#at = this.#buffer.writeInt32BE(8, this.#at);
    if (typeof value === 'string') {
      this.#at = this.#buffer.writeBigInt64BE(BigInt(value), this.#at);
      return;
    }
    const high = Math.floor(value / 2 ** 32);
    this.#at = this.#buffer.writeInt32BE(high, this.#at);
    this.#at = this.#buffer.writeUInt32BE(value - high * 2 ** 32, this.#at);
  }

  /** The rows, ended as the server expects. They are valid until `clear` is called. */
  finish(): Buffer {
    this.#room(2);
    this.#at = this.#buffer.writeInt16BE(-1, this.#at);
    return this.#buffer.subarray(0, this.#at);
  }

  /** Begins anew; the memory is used again. */
  clear(): void {
    this.#at = 0;
    this.#rows = 0;
  }

  #null(): void {
    this.#room(4);
    this.#at = this.#buffer.writeInt32BE(-1, this.#at);
  }

  #room(bytes: number): void {
    if (this.#at + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#buffer.length * 2, this.#at + bytes));
    this.#buffer.copy(larger, 0, 0, this.#at);
    this.#buffer = larger;
  }
}
