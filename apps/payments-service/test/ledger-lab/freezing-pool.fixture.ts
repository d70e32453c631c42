import type { Pool } from 'pg';

type Query = (...args: readonly unknown[]) => unknown;

/** A pool whose statements begin when it is not frozen: of a process that is stopped, the database hears nothing. */
export class FreezingPool {
  /** Statements that were sent while it was frozen. */
  waitingStatements = 0;
  #isFrozen = false;
  #thawed: Promise<void> = Promise.resolve();
  #thaw: () => void = () => undefined;

  /** To be given to an instance in place of its pool. */
  readonly before = (pool: Pool): Pool => {
    const connect = async () => {
      await this.#thawed;
      const client = await pool.connect();
      const query = this.#delayed(client.query.bind(client) as Query);
      return new Proxy(client, {
        get(target, name) {
          const member: unknown = name === 'query' ? query : Reflect.get(target, name);
          return typeof member === 'function' && name !== 'query' ? (member.bind(target) as unknown) : member;
        },
      });
    };
    return { query: this.#delayed(pool.query.bind(pool) as Query), connect } as unknown as Pool;
  };

  freeze(): void {
    this.#isFrozen = true;
    this.#thawed = new Promise((resolve) => (this.#thaw = resolve));
  }

  thaw(): void {
    this.#isFrozen = false;
    this.#thaw();
  }

  /** A copy script is given back at once, and is done when it has run. */
  #delayed(query: Query): Query {
    return (...args) => {
      if (!this.#isFrozen) return query(...args);
      this.waitingStatements += 1;
      const sent = this.#thawed.then(() => query(...args));
      const [first] = args;
      return typeof first === 'object' && first !== null && 'submit' in first ? first : sent;
    };
  }
}
