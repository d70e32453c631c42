import { describeExistingData } from './existing-data.fixture.js';

describeExistingData('stack');
// Begun in one process and continued in four, as docs/operations.md says that it can be.
describeExistingData('stack', 'embedded');
