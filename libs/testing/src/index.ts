export { eventually } from './eventually.js';
export { freshDatabase, testAdminUrl, type FreshDatabase } from './fresh-database.js';
