import type { RequestMeter } from '../request-meter.js';
import type { DeadLetters } from './dead-letters.js';
import type { OneAtATimeProducer } from './one-at-a-time-producer.js';
import type { TopicReaderOptions } from './topic-reader.js';

/** What the readers of one bus share. */
export interface KafkaParts {
  readonly reader: Pick<TopicReaderOptions, 'kafka' | 'logger' | 'sessionTimeoutMs' | 'onFatal'>;
  readonly producer: OneAtATimeProducer;
  readonly deadLetters: DeadLetters;
  /** Of what this process answers. */
  readonly answered: RequestMeter;
  readonly repliesTopic: string;
  /** The topic's name on the cluster. */
  nameOf(topic: string): string;
}
