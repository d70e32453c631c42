import { newestSecret } from '@settle/config';
import pg from 'pg';

/**
 * A client for a pool on `url`, which takes the newest content of the file that `url` was read from. A password that
 * changes meanwhile ends no connection, and opens the next one.
 * @param optionsOf what the pool passes for an address
 */
export function clientWithNewestPassword(
  url: string,
  optionsOf: (newestUrl: string) => pg.ClientConfig = (connectionString) => ({ connectionString }),
): typeof pg.Client {
  return class extends pg.Client {
    constructor(config?: string | pg.ClientConfig) {
      super({ ...(typeof config === 'string' ? {} : config), ...optionsOf(newestSecret(url)) });
    }
  };
}
