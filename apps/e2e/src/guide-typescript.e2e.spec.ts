import { describeQuickstart } from './guide.fixture.js';

describeQuickstart({
  name: 'in TypeScript',
  page: 'quickstart/typescript.md',
  andThen: ' and the types fit',
  check: (folder) => folder.checkTypes('quickstart-ts/quickstart.mts'),
});
