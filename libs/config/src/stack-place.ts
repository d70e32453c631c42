/** The data folder of `npm run stack`, separate from `.data` of `npm start`, whose databases differ. */
export const STACK_DATA_DIR = '.data/stack';

/** The file by which other processes of the same user reach a stack, in its data folder, which only its owner can read. */
export const CONTROL_FILE = 'control.json';

/** The content of the control file. */
export interface ControlNote {
  /** The ports on loopback. */
  readonly port: number;
  readonly secret: string;
  /** The Kafka of the stack's services. */
  readonly brokers: readonly string[];
}
