import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';

const run = promisify(execFile);
const root = path.join(import.meta.dirname, '..', '..');
export const CHART = path.join(root, 'deploy/helm/settle');

/** Where containers find their secrets, as files. */
export const SECRETS = '/run/secrets/settle';

export interface RenderedContainer {
  readonly name: string;
  readonly command: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly securityContext: object;
  readonly resources: { readonly requests: object; readonly limits: object };
  readonly startupProbe?: object;
  readonly readinessProbe?: object;
  readonly livenessProbe?: object;
}

interface PodSpec {
  readonly automountServiceAccountToken: boolean;
  readonly securityContext: object;
  readonly containers: readonly RenderedContainer[];
}

export interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: Readonly<Record<string, unknown>>;
}

/** Values without which the chart renders nothing. */
export const NEEDED = {
  publicUrl: 'https://pay.example.com',
  image: { repository: 'registry.example/settle' },
  kafka: { brokers: ['kafka.example:9093'] },
};

/** Returns the arguments of Helm that stand for these values. */
const given = (values: object) =>
  Object.entries(values).flatMap(([name, value]) => ['--set-json', `${name}=${JSON.stringify(value)}`]);

/** Returns what `helm template` prints. Throws with Helm's words if it refuses the values. */
export async function renderText(values: object): Promise<string> {
  const parameters = ['template', 'settle', CHART, '--kube-version', '1.33.0', ...given({ ...NEEDED, ...values })];
  const { stdout } = await run('helm', parameters, { timeout: 60_000, maxBuffer: 16 * 1024 * 1024 });
  return stdout;
}

export async function render(values: object): Promise<readonly Resource[]> {
  const documents = parseAllDocuments(await renderText(values));
  return documents.map((document) => document.toJS() as Resource | null).filter((resource) => resource !== null);
}

/** Returns what `helm lint --strict` prints. Throws if it finds anything. */
export async function lint(values: object): Promise<string> {
  const { stdout } = await run('helm', ['lint', '--strict', CHART, ...given({ ...NEEDED, ...values })]);
  return stdout;
}

/** Returns the pods of Deployments and Jobs. */
export const podsOf = (resources: readonly Resource[]): readonly PodSpec[] =>
  resources
    .filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
    .map(({ spec }) => (spec['template'] as { readonly spec: PodSpec }).spec);

/** Returns the variables of a container, with its secrets in another folder. */
export const environmentIn = ({ env }: RenderedContainer, folder: string): Record<string, string> =>
  Object.fromEntries(env.map(({ name, value }) => [name, value.replace(SECRETS, folder)]));
