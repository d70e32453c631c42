import { baseUrl } from './client.js';
import { GUIDE_TIMEOUT_MS, ReaderFolder } from './guide.fixture.js';
import { installedPackages } from './python-packages.fixture.js';
import { stackStatus } from './running-stack.fixture.js';

// On a machine without Python or its packages, npm test leaves this file out and says so.
describe('the page of analytics', () => {
  it(
    'given a stack, when the page is followed, then the output is that of the page and the charts are drawn',
    async () => {
      const { kafka } = await stackStatus();
      const folder = new ReaderFolder({
        ...installedPackages('.python-analytics', '.python'),
        ...{ SETTLE_URL: baseUrl(), KAFKA_BROKERS: kafka.brokers.join(',') },
      });
      try {
        await folder.follow('analytics.md');
      } finally {
        folder.remove();
      }
    },
    GUIDE_TIMEOUT_MS,
  );
});
