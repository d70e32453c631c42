/**
 * `node tools/make-people.mjs <count>`: people of a running product for the specs of faults, as JSON on standard
 * output. `ADMIN_URL` is that of its PostgreSQL, `PUBLIC_URL` its own.
 */
import { makePeople } from './bench/seed.mjs';

const { ADMIN_URL: adminUrl, PUBLIC_URL: url } = process.env;
process.stdout.write(JSON.stringify(await makePeople({ adminUrl, url, count: Number(process.argv[2]) })));
