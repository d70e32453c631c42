import { prepareDedicatedProduct } from './dedicated-product.js';
import { GUIDE_TIMEOUT_MS, ReaderFolder } from './guide.fixture.js';

// On a machine without Go, npm test leaves this file out and says so.
describe('the quickstart in Go', () => {
  const product = prepareDedicatedProduct();
  const folder = new ReaderFolder({ GOFLAGS: '', GOTOOLCHAIN: 'local', GOPROXY: 'off' });
  // Balances on the page are those of a new product.
  beforeAll(() => product.start(), GUIDE_TIMEOUT_MS);
  afterAll(async () => {
    folder.remove();
    await product.close();
  }, GUIDE_TIMEOUT_MS);

  it(
    'given a new folder, when its page is followed, then the output is that of the page and the code is formatted',
    async () => {
      await folder.follow('quickstart/go.md');
      expect(await folder.run('gofmt', ['-l', 'quickstart-go'])).toBe('');
    },
    GUIDE_TIMEOUT_MS,
  );
});
