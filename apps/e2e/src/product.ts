/** The product under test, in any shape. */
export interface Product {
  /** Ends with `/v1`. */
  readonly baseUrl: string;
  /** Requests the stop and waits, within bounds. */
  stop(): Promise<void>;
  /** Kills the started process, like a power cut. Its child processes keep running. */
  kill(): Promise<void>;
}

export interface ProductOptions {
  readonly dataDir: string;
  readonly port: number;
  readonly env: Readonly<Record<string, string>>;
  /** Instances of each service, if the shape has several. The default is two gateways and three of payments-service. */
  readonly counts?: Readonly<Record<string, number>>;
}
