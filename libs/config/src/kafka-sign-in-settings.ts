import { baseAddress, credential, folder, oneOf, scopes } from './setting-parsers.js';
import { setting } from './setting.js';

const SERVICES = 'the four services, stack';
const MECHANISMS = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512', 'OAUTHBEARER'] as const;

const file = (name: string, otherwise: string, meaning: string, example: string) =>
  setting({
    name,
    default: null,
    otherwise,
    meaning,
    readBy: SERVICES,
    expects: 'the path of a file',
    example,
    parse: folder,
  });

/** How a service shows the brokers who it is. */
export const KAFKA_SIGN_IN_SETTINGS = {
  kafkaSaslMechanism: setting({
    name: 'KAFKA_SASL_MECHANISM',
    default: 'SCRAM-SHA-512',
    meaning: 'How `KAFKA_USERNAME` signs in to the brokers. `PLAIN` sends the password itself: only over TLS.',
    readBy: SERVICES,
    expects: `one of ${MECHANISMS.join(', ')}`,
    example: 'SCRAM-SHA-512',
    parse: oneOf(MECHANISMS),
  }),
  kafkaUsername: setting({
    name: 'KAFKA_USERNAME',
    default: null,
    otherwise: 'none: the service does not sign in',
    meaning: "The service's own principal on the brokers; with `OAUTHBEARER` the client id.",
    readBy: SERVICES,
    expects: 'a name of at most 255 visible characters',
    example: 'settle-payments',
    parse: credential,
  }),
  kafkaPassword: setting({
    name: 'KAFKA_PASSWORD',
    default: null,
    otherwise: 'none; it or `KAFKA_PASSWORD_FILE` is needed with `KAFKA_USERNAME`',
    meaning: 'The password of that name; with `OAUTHBEARER` the client secret.',
    readBy: SERVICES,
    expects: 'a password of at most 255 visible characters',
    example: '<password>',
    isSecret: true,
    parse: credential,
  }),
  kafkaPasswordFile: file(
    'KAFKA_PASSWORD_FILE',
    'none',
    'A file that holds the same, without a line feed or with one at its end; read again at each sign-in.',
    '/run/secrets/kafka-password',
  ),
  kafkaTokenUrl: setting({
    name: 'KAFKA_TOKEN_URL',
    default: null,
    otherwise: 'none; it or `KAFKA_TOKEN_FILE` is needed with `OAUTHBEARER`',
    meaning: 'Where `OAUTHBEARER` gets access tokens by client credentials (RFC 6749, section 4.4).',
    readBy: SERVICES,
    expects: 'an http or https address without query or credentials',
    example: 'https://identity.example.com/oauth/token',
    parse: baseAddress,
  }),
  kafkaTokenScope: setting({
    name: 'KAFKA_TOKEN_SCOPE',
    default: null,
    otherwise: 'none',
    meaning: 'The scopes to ask for there, separated by spaces.',
    readBy: SERVICES,
    expects: 'at most 255 visible characters and spaces',
    example: 'kafka',
    parse: scopes,
  }),
  kafkaTokenFile: file(
    'KAFKA_TOKEN_FILE',
    'none',
    'A file that holds the access token for `OAUTHBEARER`; read again at each sign-in, so it may be renewed.',
    '/var/run/secrets/tokens/kafka',
  ),
  kafkaCaFile: file(
    'KAFKA_CA_FILE',
    'the authorities that Node knows',
    "Certificates (PEM) of the authorities that issue the brokers' certificates; needs `KAFKA_SSL=true`.",
    '/etc/settle/kafka-ca.pem',
  ),
  kafkaCertificateFile: file(
    'KAFKA_CLIENT_CERTIFICATE_FILE',
    'none',
    'The client certificate (PEM) by which the service signs in; needs `KAFKA_SSL=true`.',
    '/etc/settle/kafka-client.pem',
  ),
  kafkaKeyFile: file(
    'KAFKA_CLIENT_KEY_FILE',
    'none; needed with `KAFKA_CLIENT_CERTIFICATE_FILE`',
    'The private key (PEM) of that certificate.',
    '/etc/settle/kafka-client-key.pem',
  ),
};
