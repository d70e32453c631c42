import { GUIDE_TIMEOUT_MS, ReaderFolder } from './guide.fixture.js';

// On a machine without curl, npm test leaves this file out and says so.
describe('the quickstart with curl', () => {
  const folder = new ReaderFolder();
  afterAll(() => folder.remove());

  it(
    'given a new folder, when its page is followed, then the output is that of the page',
    () => folder.follow('quickstart/curl.md'),
    GUIDE_TIMEOUT_MS,
  );
});
