import { readServiceSettings, readSettings } from '@settle/config';
import { SERVICES, SERVICE_NAMES, type ServiceName } from '@settle/contracts';
import { SPEC_DATA_KEY, readComposition, environmentOf, serviceOf } from '@settle/testing';

/** Those of `docker-compose.yml` that run a service, with its project. */
const PROCESSES: readonly (readonly [service: string, app: ServiceName])[] = [
  ...SERVICE_NAMES.map((service) => [service, service] as const),
  ['payments-service-on-eventstoredb', 'payments-service'],
];

describe('the containers of docker-compose.yml', () => {
  it.each(['settle', ...PROCESSES.map(([service]) => service)])(
    'given %s and the passwords alone, when the settings are read, then there is a demo for this machine alone',
    (name) => {
      const service = serviceOf(readComposition({}), name);
      expect(readSettings(environmentOf(service))).toMatchObject({ demo: true, devTools: true });
      for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/);
    },
  );

  it.each(['settle', 'payments-service', 'payments-service-on-eventstoredb', 'payments-migrations'])(
    'given a key of the notes in production, when the settings of %s are read, then it has the key: it starts, and rebuilds, with no other',
    (name) => {
      const env = { NODE_ENV: 'production', DATA_KEY: SPEC_DATA_KEY, PUBLIC_URL: 'https://pay.example.com' };
      const settings = readSettings(environmentOf(serviceOf(readComposition(env), name)));
      expect(settings).toMatchObject({ nodeEnv: 'production', dataKey: SPEC_DATA_KEY });
    },
  );

  it.each<Record<string, string>>([{ PUBLIC_URL: 'https://pay.example.com' }, { PUBLISHED_HOST: '0.0.0.0' }])(
    'given %j alone, when the settings are read, then a demo that other machines can reach is rejected',
    (env) => {
      for (const name of ['settle', ...PROCESSES.map(([service]) => service)]) {
        const environment = environmentOf(serviceOf(readComposition(env), name));
        expect(() => readSettings(environment)).toThrow(/^DEMO: .*ALLOW_DEMO_ON_NETWORK=true/);
        expect(readSettings({ ...environment, ALLOW_DEMO_ON_NETWORK: 'true' }).demo).toBe(true);
      }
    },
  );

  it.each(['settle', 'api-gateway'])(
    'given proxies and rate limits, when the settings of %s are read, then they are applied',
    (name) => {
      const limits = {
        TRUSTED_PROXIES: '2',
        RATE_LIMIT_TOKEN_PER_SECOND: '7',
        RATE_LIMIT_ADDRESS_BURST: '9',
        REQUESTS_IN_PROGRESS: '5',
      };
      expect(readSettings(environmentOf(serviceOf(readComposition(limits), name)))).toMatchObject({
        trustedProxies: 2,
        requestsInProgress: 5,
        rateLimits: { perToken: { perSecond: 7 }, perAddress: { burst: 9 } },
      });
      expect(
        readSettings(environmentOf(serviceOf(readComposition({ RATE_LIMITS: 'off' }), name))).rateLimits,
      ).toBeNull();
    },
  );

  it.each(PROCESSES)(
    'given a Kafka of the operator, when the settings of %s are read, then it signs in there',
    (name, app) => {
      const own = { KAFKA_BROKERS: 'broker.example:9093', KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512', KAFKA_SSL: 'true' };
      const variable = `${SERVICES[app].name.toUpperCase()}_KAFKA_USERNAME`;
      const composition = readComposition({ ...own, [variable]: 'of-us' });
      const { kafka } = readServiceSettings(app, environmentOf(serviceOf(composition, name)));
      expect(kafka).toMatchObject({
        brokers: ['broker.example:9093'],
        signIn: { mechanism: 'SCRAM-SHA-512', username: 'of-us' },
      });
      expect(kafka.tls).not.toBeNull();
    },
  );

  it('given the gateway, when networks are compared, then it shares none with a store, and each pair that communicates shares one', () => {
    const { services, networks } = readComposition({});
    const of = (name: string) => services[name]?.networks ?? [];
    expect(networks['stores']).toEqual({ internal: true });
    for (const store of ['postgres', 'eventstoredb']) expect(of(store)).toEqual(['stores']);
    expect(of('api-gateway')).not.toContain('stores');
    expect(of('api-gateway').filter((network) => of('auth-service').includes(network))).toContain('edge');
    for (const [name, { depends_on = {} }] of Object.entries(services)) {
      for (const [other, { condition }] of Object.entries(depends_on)) {
        if (condition !== 'service_healthy') continue;
        expect([name, other, of(name).some((network) => of(other).includes(network))]).toEqual([name, other, true]);
      }
    }
    for (const name of ['settle', 'api-gateway']) expect(of(name)).toContain('edge');
  });

  it('given each container, when its rights are read, then it has none but what its entrypoint needs', () => {
    const { services } = readComposition({});
    const needed: Readonly<Record<string, readonly string[]>> = {
      postgres: ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETGID', 'SETUID'],
    };
    for (const [name, { cap_drop, cap_add }] of Object.entries(services)) {
      expect([name, cap_drop, cap_add]).toEqual([name, ['ALL'], needed[name]]);
    }
  });
});
