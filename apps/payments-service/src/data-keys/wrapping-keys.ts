import { createHash } from 'node:crypto';
import { SettingsError, newestSecret } from '@settle/config';
import { seal, unseal } from './seal.js';

const NAME_LENGTH = 16;

/** A data key as it is stored. */
export interface WrappedKey {
  /** Name of the wrapping key: the beginning of its hash. */
  readonly wrappedWith: string;
  readonly wrapped: Buffer;
}

/** The keys of the setting `DATA_KEY`. The first one wraps; each of them unwraps. */
export class WrappingKeys {
  #text = '';
  #keys: ReadonlyMap<string, Buffer> = new Map();

  /** @param written value of the setting */
  constructor(private readonly written: string) {
    this.#readAgain();
  }

  /** Name of the key that wraps now. */
  get newest(): string {
    this.#readAgain();
    return this.#first()[0];
  }

  /** Wraps the key of a user. The wrapped key is of use for this user alone. */
  wrap(userId: string, dataKey: Buffer): WrappedKey {
    this.#readAgain();
    const [wrappedWith, key] = this.#first();
    return { wrappedWith, wrapped: seal(dataKey, key, Buffer.from(userId)) };
  }

  /** Errors: `SettingsError` if the setting does not have the wrapping key; the wrapped key is damaged. */
  unwrap(userId: string, { wrappedWith, wrapped }: WrappedKey): Buffer {
    return unseal(wrapped, this.#named(wrappedWith), Buffer.from(userId));
  }

  #named(name: string): Buffer {
    if (!this.#keys.has(name)) this.#readAgain();
    const key = this.#keys.get(name);
    if (key !== undefined) return key;
    throw new SettingsError([`DATA_KEY: the key ${name}, with which stored keys are wrapped, is not among its keys`]);
  }

  #first(): readonly [string, Buffer] {
    const [first] = this.#keys;
    if (first === undefined) throw new Error('DATA_KEY has no key');
    return first;
  }

  /** The file may have changed since. */
  #readAgain(): void {
    const text = newestSecret(this.written);
    if (text === this.#text) return;
    const keys = text.split(/\s+/).map((line) => Buffer.from(line, 'base64'));
    this.#keys = new Map(keys.map((key) => [nameOf(key), key]));
    this.#text = text;
  }
}

function nameOf(key: Buffer): string {
  return createHash('sha256').update('settle data key').update(key).digest('hex').slice(0, NAME_LENGTH);
}
