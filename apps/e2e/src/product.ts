/** The product as the specs see it, in whatever shape it runs. */
export interface Product {
  /** Ends with `/v1`. */
  readonly baseUrl: string;
  /** Asks it to stop and waits, within bounds. */
  stop(): Promise<void>;
  /** Kills the process that was started, as a power cut would; what that one had started is left. */
  kill(): Promise<void>;
}

export interface ProductOptions {
  readonly dataDir: string;
  readonly port: number;
  readonly env: Readonly<Record<string, string>>;
  /** Instances of the services, where the shape has several; two gateways and three of payments unless given. */
  readonly counts?: Readonly<Record<string, number>>;
}
