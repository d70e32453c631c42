/**
 * `npm run monitoring`: starts Prometheus with the rules, and Grafana with the dashboards, beside a running `npm run stack`.
 * `npm run monitoring -- 127.0.0.1:9000` reads these health ports instead. Ends with Control-C.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { stringify } from 'yaml';
import { isOnPath } from './programs.mjs';

const root = path.dirname(import.meta.dirname);
const folder = path.join(root, '.data/monitoring');
const TARGETS = path.join(folder, 'targets.json');
/** How often the instances of the stack are looked for: it may be scaled. */
const TARGETS_EVERY_MS = 30_000;
const PROMETHEUS = '127.0.0.1:9090';
const GRAFANA_PORT = '3001';
/** Where the packages of Grafana put its files, unless GRAFANA_HOME names another folder. */
const GRAFANA_HOME = process.env.GRAFANA_HOME ?? '/usr/share/grafana';

const say = (line) => process.stdout.write(`${line}\n`);

/**
 * Writes the health ports of the instances of the stack that runs here, as Prometheus reads them.
 * @returns whether one runs
 */
function writeTargetsOfStack() {
  mkdirSync(folder, { recursive: true });
  const stack = path.join(root, 'apps/stack/dist/main.js');
  return spawnSync(process.execPath, [stack, 'targets', '--to', TARGETS]).status === 0;
}

function write(file, content) {
  const to = path.join(folder, file);
  mkdirSync(path.dirname(to), { recursive: true });
  writeFileSync(to, stringify(content));
  return to;
}

/** Writes the settings of Prometheus. @returns the command line */
function prometheus(discovery) {
  const file = write('prometheus.yaml', {
    global: { scrape_interval: '15s', evaluation_interval: '15s' },
    rule_files: [path.join(root, 'deploy/prometheus/settle.rules.yaml')],
    scrape_configs: [{ job_name: 'settle', ...discovery }],
  });
  const data = path.join(folder, 'prometheus');
  const listen = `--web.listen-address=${PROMETHEUS}`;
  return [`--config.file=${file}`, `--storage.tsdb.path=${data}`, listen, '--log.level=warn'];
}

/** Writes what Grafana provisions. @returns its environment */
function grafana() {
  const source = { name: 'Prometheus', type: 'prometheus', url: `http://${PROMETHEUS}`, isDefault: true };
  write('provisioning/datasources/settle.yaml', { apiVersion: 1, datasources: [source] });
  const dashboards = { name: 'settle', type: 'file', options: { path: path.join(root, 'deploy/grafana') } };
  write('provisioning/dashboards/settle.yaml', { apiVersion: 1, providers: [dashboards] });
  return {
    GF_PATHS_DATA: path.join(folder, 'grafana'),
    GF_PATHS_LOGS: path.join(folder, 'grafana/log'),
    GF_PATHS_PROVISIONING: path.join(folder, 'provisioning'),
    GF_SERVER_HTTP_ADDR: '127.0.0.1',
    GF_SERVER_HTTP_PORT: GRAFANA_PORT,
    GF_AUTH_ANONYMOUS_ENABLED: 'true',
    GF_LOG_LEVEL: 'warn',
  };
}

function start(program, parameters, environment = {}) {
  const child = spawn(program, parameters, { stdio: 'inherit', env: { ...process.env, ...environment } });
  child.on('exit', (code) => {
    say(`${program} has ended${code === null ? '' : ` with ${code}`}.`);
    process.exitCode ||= code ?? 0;
  });
  process.on('SIGTERM', () => child.kill());
}

function refuse(reason) {
  process.stderr.write(`monitoring: ${reason}\n`);
  process.exit(1);
}

if (!isOnPath('prometheus')) refuse('Prometheus is not installed, or not on the PATH');
const given = process.argv.slice(2);
let [discovery, read] = [{ static_configs: [{ targets: given }] }, given.join(', ')];
if (given.length === 0) {
  if (!writeTargetsOfStack()) {
    refuse('no stack runs here; name the health ports: npm run monitoring -- 127.0.0.1:9000');
  }
  setInterval(writeTargetsOfStack, TARGETS_EVERY_MS).unref();
  [discovery, read] = [{ file_sd_configs: [{ files: [TARGETS] }] }, 'the instances of the stack'];
}
start('prometheus', prometheus(discovery));
say(`Prometheus on http://${PROMETHEUS}/alerts reads ${read}`);
if (isOnPath('grafana')) {
  start('grafana', ['server', '--homepath', GRAFANA_HOME], grafana());
  say(`Grafana on http://127.0.0.1:${GRAFANA_PORT}/dashboards`);
} else say('Grafana is not installed, or not on the PATH: import the files of deploy/grafana elsewhere.');
// Control-C reaches the children by itself; this process ends after them.
process.on('SIGINT', () => undefined);
