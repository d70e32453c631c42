import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { SERVICE_NAMES } from '@settle/contracts';
import { readComposition, serviceOf } from '@settle/testing';
import { parse } from 'yaml';

const root = path.dirname(import.meta.dirname);

describe('the operation of docker-compose.yml', () => {
  it('given every container, when its lines are kept, then they are rotated', () => {
    for (const [name, { logging }] of Object.entries(readComposition({}).services)) {
      const options = { 'max-size': '20m', 'max-file': '5' };
      expect([name, logging]).toEqual([name, { driver: 'json-file', options }]);
    }
  });

  it('given three gateways, when their ports are published, then each has one of a range, on the same host', () => {
    const composition = readComposition({ GATEWAYS: '3', GATEWAY_PORTS: '3000-3002' });
    const { scale, ports } = serviceOf(composition, 'api-gateway');
    expect({ scale, ports }).toEqual({ scale: 3, ports: ['127.0.0.1:3000-3002:3000'] });
    expect(serviceOf(readComposition({ PORT: '8080' }), 'api-gateway').ports).toEqual(['127.0.0.1:8080:3000']);
  });

  it('given the profile monitoring, when Prometheus looks for targets, then it shares a network with each service', () => {
    const composition = readComposition({});
    const { scrape_configs: jobs } = parse(
      readFileSync(path.join(root, 'docker/monitoring/prometheus.yaml'), 'utf8'),
    ) as {
      scrape_configs: { job_name: string; dns_sd_configs: { names: string[]; port: number }[] }[];
    };
    const [job] = jobs;
    // The alarms select by this job.
    expect([job?.job_name, job?.dns_sd_configs[0]?.port]).toEqual(['settle', 9_000]);
    const names = job?.dns_sd_configs[0]?.names ?? [];
    expect(names.toSorted()).toEqual([...SERVICE_NAMES, 'payments-service-on-eventstoredb', 'settle'].toSorted());
    const networks = serviceOf(composition, 'prometheus').networks ?? [];
    for (const name of names) {
      expect([name, serviceOf(composition, name).networks?.some((network) => networks.includes(network))]).toEqual([
        name,
        true,
      ]);
    }
  });

  it('given the profile monitoring, when the files of its containers are looked for, then each is there, and no other machine reaches a port', () => {
    const composition = readComposition({ PUBLISHED_HOST: '0.0.0.0' });
    for (const name of ['prometheus', 'grafana']) {
      const { volumes = [], ports = [] } = serviceOf(composition, name);
      const files = volumes.map((volume) => volume.split(':')[0] ?? '').filter((file) => file.startsWith('.'));
      expect(files.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
    }
    const source = parse(readFileSync(path.join(root, 'docker/monitoring/grafana-datasource.yaml'), 'utf8')) as {
      datasources: { url: string }[];
    };
    expect(source.datasources.map(({ url }) => url)).toEqual(['http://prometheus:9090']);
  });
});
