/** Where `npm run stack` keeps its data: apart from `.data` of `npm start`, whose database is another one. */
export const STACK_DATA_DIR = '.data/stack';

/** How other processes of the same user reach a stack; in its data folder, which only its owner can read. */
export const CONTROL_FILE = 'control.json';

/** What stands there. */
export interface ControlNote {
  /** Of loopback. */
  readonly port: number;
  readonly secret: string;
  /** The Kafka over which the stack's services talk. */
  readonly brokers: readonly string[];
}
