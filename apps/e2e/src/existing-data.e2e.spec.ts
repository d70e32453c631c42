import { describeExistingData } from './existing-data.fixture.js';

describeExistingData('embedded');
