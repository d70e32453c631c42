/**
 * `node tools/analytics-sample/make.mjs` makes the sample of `docs/analytics/sample`, after `npm run build`: 10,000 records of the
 * public topics over two months. The payments are made by the command handlers of payments-service, at a time that this program
 * moves, and exported as `npm run events -- export` does. A seed draws users, amounts and times, so that the same code makes the
 * same records again.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { constants, gzipSync } from 'node:zlib';
import { ANALYTICS, preparePython, pythonPath } from '../python-environment.mjs';
import { openLedger } from './ledger.mjs';
import { SeededRandom } from './random.mjs';
import { Traffic } from './traffic.mjs';

const SEED = 20_260_915;
const RECORDS = 10_000;
const analytics = join(import.meta.dirname, '../../docs/analytics');
const target = join(analytics, 'sample');
const TO_PARQUET = `
import sys, duckdb
duckdb.connect(sys.argv[1]).execute(f"copy events to '{sys.argv[2]}' (format parquet, compression zstd, compression_level 9)")`;

async function makeLines(dataDir) {
  const random = new SeededRandom(SEED);
  const ledger = await openLedger({ dataDir, random });
  try {
    await new Traffic({ ledger, random }).run();
    return await ledger.exportAll();
  } finally {
    await ledger.close();
  }
}

/** Returns the first records. None of the steps of a payment is cut off. */
function takeRecords(lines) {
  const [last, next] = lines.slice(RECORDS - 1, RECORDS + 1);
  if (next === undefined) throw new Error(`The traffic has ${lines.length} records only: let it last longer`);
  const paymentOf = ({ line }) => JSON.parse(line).data.paymentId;
  if (paymentOf(last) === paymentOf(next)) throw new Error('The last payment is cut in two: draw another seed');
  return lines.slice(0, RECORDS).map(({ line }) => line);
}

/** Runs a program of Python with the packages of the recipes. */
function runPython(...args) {
  const { status } = spawnSync(pythonPath(ANALYTICS), args, { cwd: analytics, stdio: 'inherit' });
  if (status !== 0) throw new Error(`${args.join(' ')} failed`);
}

const unprepared = preparePython(ANALYTICS);
if (unprepared !== null) throw new Error(unprepared);
const folder = mkdtempSync(join(tmpdir(), 'settle-sample-'));
try {
  const began = performance.now();
  const lines = await makeLines(folder);
  mkdirSync(target, { recursive: true });
  const ndjson = takeRecords(lines).map((line) => `${line}\n`);
  const file = join(target, 'events.ndjson.gz');
  writeFileSync(file, gzipSync(ndjson.join(''), { level: constants.Z_BEST_COMPRESSION }));
  const seconds = Math.round((performance.now() - began) / 1_000);
  process.stdout.write(`${lines.length} records in ${seconds} s, ${RECORDS} kept; ${statSync(file).size} bytes\n`);
  const database = join(folder, 'sample.duckdb');
  runPython('to_duckdb.py', database, file);
  runPython('-c', TO_PARQUET, database, join(target, 'events.parquet'));
  runPython('charts.py', database, join(analytics, 'charts'));
} finally {
  rmSync(folder, { recursive: true });
}
