import { KAFKA_TOPICS } from './kafka-topics.js';
import { SERVICES } from './services.js';

describe('the rights of the services on Kafka', () => {
  // Each connects as a requester and stores records that it cannot read.
  it.each(Object.entries(SERVICES))(
    'given %s, when it connects where rights are checked, then it may read replies and write dead letters',
    (_project, { kafka }) => {
      expect(kafka.produces).toContain('deadLetters');
      expect(kafka.consumes).toContain('replies');
      expect(kafka.groups).toContain(KAFKA_TOPICS.replies.name);
    },
  );
});
