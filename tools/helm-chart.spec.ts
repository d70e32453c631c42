import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { readServiceSettings, settingsTableMarkdown } from '@settle/config';
import { SERVICE_NAMES, type ServiceName } from '@settle/contracts';
import { SPEC_DATA_KEY } from '@settle/testing';
import { faultsOf } from './helm-chart/custom-resources.js';
import { CUSTOM_KINDS } from './helm-chart/schemas.mjs';
import { environmentIn, lint, podsOf, render, renderText } from './helm-chart/rendered-chart.js';

const run = promisify(execFile);

/** Everything that the chart can do, in one installation. */
const EVERYTHING = {
  eventStore: { kind: 'eventstoredb' },
  funding: { providerUrl: 'https://provider.example.com', pageOrigins: ['https://provider.example.com'] },
  imagePullSecrets: ['registry'],
  ingress: { enabled: true, className: 'public', tlsSecret: 'certificate' },
  keda: { prometheusUrl: 'http://prometheus.monitoring:9090' },
  serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
  prometheusRule: { enabled: true },
  services: {
    'api-gateway': { autoscaling: { by: 'cpu' } },
    'auth-service': { secretSettings: ['SMTP_URL'], settings: { MAIL_FROM: 'pay@example.com' } },
    'payments-service': { autoscaling: { by: 'bus-requests' } },
  },
};

/** Examples of what the Secrets hold. */
const SECRETS = {
  KAFKA_PASSWORD: 'k1',
  DATABASE_URL: 'postgres://settle:p1@postgres.example:5432/settle',
  DATA_KEY: SPEC_DATA_KEY,
  EVENTSTORE_URL: 'esdb://eventstore.example:2113',
  FUNDING_PROVIDER_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
  SMTP_URL: 'smtps://mail:p2@mail.example:465',
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'settle-chart-'));
  for (const [name, value] of Object.entries(SECRETS)) await writeFile(path.join(folder, name), value);
});
afterAll(() => rm(folder, { recursive: true }));

// On a machine without Helm, kubernetes-validate and the schemas of custom resources npm test leaves this file out and says so.
describe('the Helm chart', () => {
  it.each([
    ['nothing but what is needed', {}],
    ['everything', EVERYTHING],
  ])(
    'given %s, when it is checked, then Helm finds no fault and Kubernetes knows every field',
    async (name, values) => {
      expect(await lint(values)).toContain('0 chart(s) failed');
      const file = path.join(folder, `${name}.yaml`);
      await writeFile(file, await renderText(values));
      // It ends with an error at the first field that the schemas of Kubernetes do not have.
      await run('kubernetes-validate', ['--strict', '--no-warn', file], { timeout: 60_000 });
    },
  );

  it.each(CUSTOM_KINDS)(
    'given a %s, when it is compared with the schema of its project, then nothing differs',
    async (kind) => {
      const resources = (await render(EVERYTHING)).filter((resource) => resource.kind === kind);
      expect(resources.length).toBeGreaterThan(0);
      for (const resource of resources) {
        expect(faultsOf(resource)).toEqual([]);
        const misspelled = { ...resource, spec: { ...resource.spec, scalesTo: 3 } };
        expect(faultsOf(misspelled)).toEqual([expect.stringContaining('"additionalProperty":"scalesTo"')]);
      }
    },
  );

  it.each([{}, EVERYTHING])('given %j, when its services start, then they read their settings', async (values) => {
    const containers = podsOf(await render(values)).flatMap((pod) => pod.containers);
    const known = settingsTableMarkdown();
    for (const app of SERVICE_NAMES) {
      const container = containers.find(({ name }) => name === app);
      const environment = environmentIn(container!, folder);
      expect(Object.keys(environment).filter((name) => !known.includes(`\`${name}\``))).toEqual([]);
      expect(readServiceSettings(app satisfies ServiceName, environment)).toMatchObject({
        publicUrl: 'https://pay.example.com',
        demo: false,
        devTools: false,
      });
      expect(container?.command.at(-1)).toBe(`apps/${app}/dist/main.js`);
    }
  });

  it('given any pod, when its rights are read, then it has none, writes to no disk and has limits and probes', async () => {
    const resources = await render(EVERYTHING);
    for (const { automountServiceAccountToken, securityContext, containers } of podsOf(resources)) {
      expect(automountServiceAccountToken).toBe(false);
      expect(securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
      for (const container of containers) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(container.resources.limits).toHaveProperty('memory');
        if (container.command.at(-1)?.endsWith('main.js') !== true) continue;
        expect(container.startupProbe).toHaveProperty('httpGet.path', '/health/live');
        expect(container.readinessProbe).toHaveProperty('httpGet.path', '/health/ready');
        expect(container.livenessProbe).toHaveProperty('httpGet.path', '/health/live');
      }
    }
  });

  it('given network policies, when ways are compared, then nothing is open but what they name, and no store to the gateway', async () => {
    const policies = (await render(EVERYTHING)).filter(({ kind }) => kind === 'NetworkPolicy');
    const of = (name: string) =>
      JSON.stringify(policies.find(({ metadata }) => metadata.name === `settle-${name}`)?.spec);
    expect(of('deny')).toContain('"policyTypes":["Ingress","Egress"]');
    expect(of('deny')).not.toContain('"ingress"');
    for (const app of SERVICE_NAMES) expect(of(app)).toContain('"port":9093');
    expect(of('api-gateway')).not.toContain('"port":5432');
    expect(of('users-service')).not.toContain('"port":2113');
    expect(of('payments-service')).toContain('"port":2113');
  });

  it.each([
    'DEMO',
    'DEV_TOOLS',
    'ALLOW_DEMO_ON_NETWORK',
    'REFERENCE_PROVIDER',
    'NODE_ENV',
    'DATABASE_URL',
    'KAFKA_PASSWORD',
  ])('given %s among the settings, when it is rendered, then the chart refuses it', async (name) => {
    await expect(renderText({ settings: { [name]: 'true' } })).rejects.toThrow(name);
    await expect(renderText({ services: { 'users-service': { settings: { [name]: 'true' } } } })).rejects.toThrow(name);
  });

  it.each(['cpu', 'bus-requests'])(
    'given a service scaled by %s, when it is rendered, then its replicas are not fixed',
    async (by) => {
      const values = {
        keda: { prometheusUrl: 'http://prometheus:9090' },
        services: { 'users-service': { autoscaling: { by } } },
      };
      const users = (await render(values)).filter(({ metadata }) => metadata.name === 'settle-users-service');
      expect(users.find(({ kind }) => kind === 'Deployment')?.spec).not.toHaveProperty('replicas');
      expect(users.map(({ kind }) => kind)).toContain(by === 'cpu' ? 'HorizontalPodAutoscaler' : 'ScaledObject');
    },
  );
});
