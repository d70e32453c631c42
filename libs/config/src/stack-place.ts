/** Where `npm run stack` keeps its data: apart from `.data` of `npm start`, whose database is another one. */
export const STACK_DATA_DIR = '.data/stack';

/** How other processes of the same user reach a stack; in its data folder, which only its owner can read. */
export const CONTROL_FILE = 'control.json';

/** The content of the location. */
export interface ControlNote {
  /** The ports on loopback. */
  readonly port: number;
  readonly secret: string;
  /** The Kafka over which the stack's services talk. */
  readonly brokers: readonly string[];
}
