import { prepareDedicatedProduct } from './dedicated-product.js';
import { GUIDE_TIMEOUT_MS, ReaderFolder } from './guide.fixture.js';

describe('the quickstart in TypeScript', () => {
  const product = prepareDedicatedProduct();
  const folder = new ReaderFolder();
  // Balances on the page are those of a new product.
  beforeAll(() => product.start(), GUIDE_TIMEOUT_MS);
  afterAll(async () => {
    folder.remove();
    await product.close();
  }, GUIDE_TIMEOUT_MS);

  it(
    'given a new folder, when its page is followed, then the output is that of the page and the types fit',
    async () => {
      await folder.follow('quickstart/typescript.md');
      await folder.checkTypes('quickstart-ts/quickstart.mts');
    },
    GUIDE_TIMEOUT_MS,
  );
});
