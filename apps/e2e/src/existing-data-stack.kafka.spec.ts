import { describeExistingData } from './existing-data.fixture.js';

describeExistingData('stack');
// The folder was made by one process and is continued by four, which docs/operations.md allows.
describeExistingData('stack', 'embedded');
