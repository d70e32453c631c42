import { GUIDE_TIMEOUT_MS, ReaderFolder } from './guide.fixture.js';

// On a machine without Go, npm test leaves this file out and says so.
describe('the quickstart in Go', () => {
  const folder = new ReaderFolder({ GOFLAGS: '', GOTOOLCHAIN: 'local', GOPROXY: 'off' });
  afterAll(() => folder.remove());

  it(
    'given a new folder, when its page is followed, then the output is that of the page',
    async () => {
      await folder.follow('quickstart/go.md');
      expect(await folder.run('gofmt', ['-l', 'quickstart-go'])).toBe('');
    },
    GUIDE_TIMEOUT_MS,
  );
});
