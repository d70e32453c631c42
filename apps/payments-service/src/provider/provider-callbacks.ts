import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PeriodicTask } from '@settle/concurrency';
import { LIMITS, newestSecret } from '@settle/config';
import { HandedConnections, HttpDrain, type ParentChannel } from '@settle/lifecycle';
import { ThrottledLog, type Logger, type Metrics } from '@settle/observability';
import { parseChange, verifyMessage } from '@settle/provider-api';
import type { Clock } from '../storage/clock.js';
import type { ProviderHints } from './provider-hints.js';
import { readBody } from './read-body.js';

const { callbackConnections, callbackRequestMs, hintSweepEveryMs, lineEveryMs } = LIMITS.provider;
const PATH = '/provider/callbacks';

export interface CallbacksOptions {
  /** One or two secrets, separated by white space, as they stand in the file. */
  readonly secret: string;
  readonly hints: ProviderHints;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called when a callback was stored that was not there yet. */
  readonly onStored?: () => void;
  readonly metrics?: Metrics | undefined;
  /** The process that accepts connections for this one; absent: none does. */
  readonly parent?: ParentChannel | undefined;
}

const STATUS = { stored: 204, repeated: 204, unreadable: 400, forged: 401, too_large: 413, failed: 503 } as const;
type Outcome = keyof typeof STATUS;

/**
 * Receives the provider's callbacks from the gateway, on a listener that is not reachable from outside. A callback is only
 * a hint: it is stored once and answered, and the object is read from the provider later.
 */
export class ProviderCallbacks {
  readonly #server: Server;
  readonly #http: HttpDrain;
  readonly #handed: HandedConnections | undefined;
  readonly #sweep: PeriodicTask;
  /** Every client of the gateway can send them. */
  readonly #forged = new ThrottledLog(lineEveryMs);
  readonly #counts: Record<Outcome, number> = {
    stored: 0,
    repeated: 0,
    unreadable: 0,
    forged: 0,
    too_large: 0,
    failed: 0,
  };

  constructor(private readonly options: CallbacksOptions) {
    const { hints, logger, metrics, parent } = options;
    this.#server = createServer({ requestTimeout: callbackRequestMs }, (request, response) => {
      const isCallback = request.method === 'POST' && request.url === PATH;
      if (!isCallback) return void response.writeHead(404, { connection: 'close' }).end();
      void this.#receive(request).then((outcome) => {
        this.#counts[outcome] += 1;
        // The rest of a body that was not read must not be taken for the next request.
        const headers = outcome === 'too_large' ? { connection: 'close' } : {};
        response.writeHead(STATUS[outcome], headers).end();
      });
    });
    this.#server.maxConnections = callbackConnections;
    this.#http = new HttpDrain(this.#server);
    this.#handed = parent && new HandedConnections(this.#server, this.#http, parent);
    this.#sweep = new PeriodicTask({
      run: async () => ((await hints.removeOld()) ? 'repeat' : undefined),
      everyMs: hintSweepEveryMs,
      onError: (err) => logger.warn({ err }, 'old callbacks were not removed; trying again later'),
    });
    metrics?.register('providerCallbacks', () =>
      Object.entries(this.#counts).map(([outcome, count]) => [{ outcome }, count] as const),
    );
  }

  /** Resolves with the URL that is listened on. @param port 0: a free one. Error: one line if it cannot listen. */
  async listen({ host, port }: { readonly host: string; readonly port: number }): Promise<string> {
    const listens = once(this.#server.listen({ host, port }), 'listening');
    await listens.catch(({ code = 'unknown error' }: NodeJS.ErrnoException) => {
      const settings = 'PROVIDER_CALLBACKS_HOST and PROVIDER_CALLBACKS_PORT';
      throw new Error(`Callbacks cannot be received on ${host}:${port} (${code}): set ${settings}`);
    });
    this.#server.on('error', () => undefined);
    this.#sweep.start();
    const isV6 = host.includes(':');
    return `http://${isV6 ? `[${host}]` : host}:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Completes what is in progress, within bounds. */
  async close(): Promise<void> {
    await this.#sweep.stop();
    await this.#handed?.end();
    await this.#http.drain();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  async #receive(request: IncomingMessage): Promise<Outcome> {
    const { clock, hints, logger, secret } = this.options;
    try {
      const body = await readBody(request.iterator({ destroyOnReturn: false }));
      if (body === null) return 'too_large';
      const secrets = newestSecret(secret).split(/\s+/);
      const nowSeconds = Math.floor(clock.machineMs() / 1_000);
      const id = verifyMessage(request.headers, body, { secrets, nowSeconds });
      if (id === null) {
        this.#forged.record((callbacks) =>
          logger.warn({ callbacks }, 'a callback without a valid signature was refused'),
        );
        return 'forged';
      }
      const change = parseChange(parseJson(body));
      if (change === null) {
        logger.error({ id }, 'a signed callback breaks the interface; refusing it');
        return 'unreadable';
      }
      if (!(await hints.store(id, change))) return 'repeated';
      this.options.onStored?.();
      return 'stored';
    } catch (err) {
      logger.warn({ err }, 'a callback was not stored; the list of changes has it, too');
      return 'failed';
    }
  }
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
