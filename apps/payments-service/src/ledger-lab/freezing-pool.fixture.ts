import type { Pool } from 'pg';

/** A pool whose statements begin when it is not frozen: of a process that is stopped, the database hears nothing. */
export class FreezingPool {
  /** Who would begin a transaction and can't. */
  waitingForConnections = 0;
  #thawed: Promise<void> = Promise.resolve();
  #thaw: () => void = () => undefined;

  /** To be given to an instance in place of its pool. */
  readonly before = (pool: Pool): Pool => {
    const query = async (...args: Parameters<Pool['query']>) => {
      await this.#thawed;
      return pool.query(...args);
    };
    const connect = async () => {
      this.waitingForConnections += 1;
      await this.#thawed;
      this.waitingForConnections -= 1;
      return pool.connect();
    };
    return { query, connect } as unknown as Pool;
  };

  freeze(): void {
    this.#thawed = new Promise((resolve) => (this.#thaw = resolve));
  }

  thaw(): void {
    this.#thaw();
  }
}
