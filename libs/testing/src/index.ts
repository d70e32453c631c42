export { eventually } from './eventually.js';
export { EventStoreDbStandIn, type StandInFaults, type StandInState } from './eventstoredb-stand-in.js';
export { freshDatabase, testAdminUrl, type FreshDatabase } from './fresh-database.js';
