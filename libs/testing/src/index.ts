export { eventually } from './eventually.js';
export { EventStoreDbStandIn } from './eventstoredb-stand-in.js';
export { freshDatabase, testAdminUrl, type FreshDatabase } from './fresh-database.js';
