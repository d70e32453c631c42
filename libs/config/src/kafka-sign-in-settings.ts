import { baseAddress, credential, file, oneOf, scopes } from './setting-parsers.js';
import { setting } from './setting.js';

const SERVICES = 'the four services, stack';
const MECHANISMS = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512', 'OAUTHBEARER'] as const;

/** How a service shows the brokers who it is. */
export const KAFKA_SIGN_IN_SETTINGS = {
  kafkaSaslMechanism: setting('KAFKA_SASL_MECHANISM', oneOf(MECHANISMS), {
    default: 'SCRAM-SHA-512',
    meaning: 'How `KAFKA_USERNAME` signs in to the brokers. `PLAIN` sends the password itself: only over TLS.',
    readBy: SERVICES,
  }),
  kafkaUsername: setting('KAFKA_USERNAME', credential, {
    otherwise: 'none: the service does not sign in',
    meaning: "The service's own principal on the brokers; with `OAUTHBEARER` the client id.",
    readBy: SERVICES,
    example: 'settle-payments',
  }),
  kafkaPassword: setting('KAFKA_PASSWORD', credential, {
    otherwise: 'none; it or `KAFKA_PASSWORD_FILE` is needed with `KAFKA_USERNAME`',
    meaning: 'The password of that name; with `OAUTHBEARER` the client secret.',
    readBy: SERVICES,
    example: '<password>',
    isSecret: true,
  }),
  kafkaPasswordFile: setting('KAFKA_PASSWORD_FILE', file, {
    meaning: 'A file that holds the same, without a line feed or with one at its end; read again at each sign-in.',
    readBy: SERVICES,
    example: '/run/secrets/kafka-password',
  }),
  kafkaTokenUrl: setting('KAFKA_TOKEN_URL', baseAddress, {
    otherwise: 'none; it or `KAFKA_TOKEN_FILE` is needed with `OAUTHBEARER`',
    meaning: 'Where `OAUTHBEARER` gets access tokens by client credentials (RFC 6749, section 4.4).',
    readBy: SERVICES,
    example: 'https://identity.example.com/oauth/token',
  }),
  kafkaTokenScope: setting('KAFKA_TOKEN_SCOPE', scopes, {
    meaning: 'The scopes to ask for there, separated by spaces.',
    readBy: SERVICES,
    example: 'kafka',
  }),
  kafkaTokenFile: setting('KAFKA_TOKEN_FILE', file, {
    meaning: 'A file that holds the access token for `OAUTHBEARER`; read again at each sign-in, so it may be renewed.',
    readBy: SERVICES,
    example: '/var/run/secrets/tokens/kafka',
  }),
  kafkaCaFile: setting('KAFKA_CA_FILE', file, {
    otherwise: 'the authorities that Node knows',
    meaning: "Certificates (PEM) of the authorities that issue the brokers' certificates; needs `KAFKA_SSL=true`.",
    readBy: SERVICES,
    example: '/etc/settle/kafka-ca.pem',
  }),
  kafkaCertificateFile: setting('KAFKA_CLIENT_CERTIFICATE_FILE', file, {
    meaning: 'The client certificate (PEM) by which the service signs in; needs `KAFKA_SSL=true`.',
    readBy: SERVICES,
    example: '/etc/settle/kafka-client.pem',
  }),
  kafkaKeyFile: setting('KAFKA_CLIENT_KEY_FILE', file, {
    otherwise: 'none; needed with `KAFKA_CLIENT_CERTIFICATE_FILE`',
    meaning: 'The private key (PEM) of that certificate.',
    readBy: SERVICES,
    example: '/etc/settle/kafka-client-key.pem',
  }),
};
