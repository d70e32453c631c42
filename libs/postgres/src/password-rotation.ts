import { newestSecret } from '@settle/config';
import pg from 'pg';

/**
 * Creates the client class of a pool on `url`. Each new connection uses the newest content of the file that `url` was
 * read from, so that a rotated password closes no connection and opens the next one.
 * @param buildConfig returns the connection settings for a URL
 */
export function createRotatingClientClass(
  url: string,
  buildConfig: (newestUrl: string) => pg.ClientConfig = (connectionString) => ({ connectionString }),
): typeof pg.Client {
  return class extends pg.Client {
    constructor(config?: string | pg.ClientConfig) {
      super({ ...(typeof config === 'string' ? {} : config), ...buildConfig(newestSecret(url)) });
    }
  };
}
