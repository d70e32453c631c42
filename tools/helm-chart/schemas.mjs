/**
 * The schemas of the chart's custom resources, which are in the Go modules of their projects.
 * `node tools/helm-chart/schemas.mjs` fetches them once, with Go, into the user's cache; specs read them there.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';

const FOLDER = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'settle-chart-tools', 'schemas');
const KEDA = 'github.com/kedacore/keda/v2@v2.18.1';
const PROMETHEUS_OPERATOR = 'github.com/prometheus-operator/prometheus-operator@v0.85.0';
const FILES = {
  ScaledObject: [KEDA, 'config/crd/bases/keda.sh_scaledobjects.yaml'],
  ServiceMonitor: [PROMETHEUS_OPERATOR, 'example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml'],
  PrometheusRule: [PROMETHEUS_OPERATOR, 'example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml'],
};

/** The kinds of resources that have a schema here. */
export const CUSTOM_KINDS = Object.keys(FILES);

/** Returns where the definition of a kind is kept: of its own version, which the name has. */
export function schemaFileOf(kind) {
  const [module, file] = FILES[kind];
  return join(FOLDER, `${module.split('@')[1]}-${basename(file)}`);
}

export const hasSchemas = () => CUSTOM_KINDS.every((kind) => existsSync(schemaFileOf(kind)));

function fetchSchemas() {
  mkdirSync(FOLDER, { recursive: true });
  for (const [kind, [module, file]] of Object.entries(FILES)) {
    if (existsSync(schemaFileOf(kind))) continue;
    const said = execFileSync('go', ['mod', 'download', '-json', module], { encoding: 'utf8', timeout: 300_000 });
    copyFileSync(join(JSON.parse(said).Dir, file), schemaFileOf(kind));
  }
}

if (import.meta.main ?? process.argv[1] === import.meta.filename) fetchSchemas();
