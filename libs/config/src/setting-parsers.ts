/** Returns the value of a text, or undefined if the text is not what it expects. */
export interface Parser<Value> {
  (text: string): Value | undefined;
  /** Completes "the value is not ...". */
  readonly expects: string;
}

export function parser<Value>(expects: string, parse: (text: string) => Value | undefined): Parser<Value> {
  return Object.assign((text: string) => parse(text), { expects });
}

/** A text that matches `pattern`, as written. */
const matching = (expects: string, pattern: RegExp) =>
  parser(expects, (text) => (pattern.test(text) ? text : undefined));

const HOST_PATTERN = /^[A-Za-z0-9]([A-Za-z0-9.-]{0,252}[A-Za-z0-9])?$|^[0-9A-Fa-f:]*::?[0-9A-Fa-f:.]*$/;
const MONEY_PATTERN = /^([0-9]{1,9})(?:\.([0-9]{1,2}))?$/;
const LOOPBACK_HOSTS = new Set(['localhost', '::1', '[::1]']);

/** One of a few words, as written. */
export function oneOf<const Choice extends string>(choices: readonly Choice[]): Parser<Choice> {
  return parser(`one of ${choices.join(', ')}`, (text) => choices.find((choice) => choice === text));
}

/** A whole number without sign or point, `min` and `max` included. */
export function wholeNumber(min: number, max: number): Parser<number> {
  return parser(`a whole number from ${min} to ${max}`, (text) => {
    const value = /^[0-9]{1,9}$/.test(text) ? Number(text) : NaN;
    return value >= min && value <= max ? value : undefined;
  });
}

const eitherOf = (yes: string, no: string) =>
  parser(`${yes} or ${no}`, (text) => (text === yes ? true : text === no ? false : undefined));

export const yesOrNo = eitherOf('true', 'false');
export const onOrOff = eitherOf('on', 'off');

export const hostName = matching('a host name or an IP address', HOST_PATTERN);

export const folder = matching('the path of a folder', /^[^\0]*$/);
export const file = matching('the path of a file', /^[^\0]*$/);

/** A positive decimal with at most two fraction digits, as integer cents. */
export const moneyAsCents = parser('a positive amount with at most two fraction digits', (text) => {
  const [, whole, fraction = ''] = MONEY_PATTERN.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const cents = Number(whole) * 100 + Number(fraction.padEnd(2, '0'));
  return cents > 0 ? cents : undefined;
});

/** Only scheme, host and port. The value has no slash at the end. */
export const webOrigin = parser('an http or https address without path, query or credentials', (text) => {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isWeb = url.protocol === 'http:' || url.protocol === 'https:';
  const isOrigin = url.pathname === '/' && !/[?#@]/.test(text);
  return isWeb && isOrigin ? url.origin : undefined;
});

export const webOrigins = parser<readonly string[]>('a list of origins separated by commas', (text) => {
  const origins = text.split(',').map((part) => webOrigin(part.trim()));
  return origins.every((origin) => origin !== undefined) ? origins : undefined;
});

/** A web address with or without a path, without query and credentials. The value has no slash at the end. */
export const baseAddress = parser('an http or https address without query or credentials', (text) => {
  if (!URL.canParse(text) || /[?#@]/.test(text)) return undefined;
  const { protocol, href } = new URL(text);
  return protocol === 'http:' || protocol === 'https:' ? href.replace(/\/+$/, '') : undefined;
});

/** Whether `host`, the host of a URL or an address to listen on, is only this machine. */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK_HOSTS.has(host) || /^127(?:\.[0-9]{1,3}){3}$/.test(host);
}

/** The address of a server of one of the protocols. */
const serverUrl = (kind: string, protocols: RegExp) =>
  parser(`the address of ${kind} server`, (text) => {
    if (!protocols.test(text) || !URL.canParse(text)) return undefined;
    return new URL(text).hostname === '' ? undefined : text;
  });

export const postgresUrl = serverUrl('a PostgreSQL', /^postgres(ql)?:\/\//);
/** With the user who signs in there. */
export const smtpUrl = serverUrl('a mail', /^smtps?:\/\//);

const ESDB_PATTERN =
  /^esdb(\+discover)?:\/\/([^\s/?#@]+@)?([^\s/?#@,:]+(:[0-9]{1,5})?)(,[^\s/?#@,:]+(:[0-9]{1,5})?)*\/?(\?[^\s#]*)?$/;

/** One or several hosts, with options of the client library. */
export const eventStoreDbUrl = matching('the address of an EventStoreDB server', ESDB_PATTERN);

const BROKER_PATTERN = /^([A-Za-z0-9]([A-Za-z0-9.-]{0,252}[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\]):([0-9]{1,5})$/;

/** Several `host:port`, separated by commas. */
export const brokerList = parser<readonly string[]>('a list of host:port separated by commas', (text) => {
  const brokers = text.split(',').map((part) => part.trim());
  const areAddresses = brokers.every((broker) => {
    const port = Number(BROKER_PATTERN.exec(broker)?.[3]);
    return port >= 1 && port <= 65_535;
  });
  return areAddresses ? brokers : undefined;
});

/** The first part of the names of topics, or the name of an instance. */
export const kafkaName = matching(
  'at most 100 letters, digits, dots, underscores and hyphens',
  /^[A-Za-z0-9._-]{1,100}$/,
);

export const credential = matching('at most 255 visible ASCII characters', /^[\x21-\x7e]{1,255}$/);

/** Scopes of OAuth, separated by single spaces. */
export const scopes = matching(
  'at most 255 visible characters and spaces',
  /^(?=.{1,255}$)[\x21-\x7e]+( [\x21-\x7e]+)*$/,
);

/** An address alone, without a name. */
export const mailbox = matching('an e-mail address', /^[^\s@<>,;:"]+@[^\s@<>,;:"]+$/);

/** With a path and a query if needed, but without a password. */
export const webAddress = parser('an http or https address', (text) => {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) return undefined;
  const { username, password } = new URL(text);
  return username === '' && password === '' ? text : undefined;
});

/** Long enough not to be guessed. */
export const longSecret = matching('32 to 255 visible characters', /^[\x21-\x7e]{32,255}$/);

const DATA_KEY = /^[A-Za-z0-9+/]{43}=$/;

/** One or two keys, with white space between them. The value is the text as it was written. */
export const dataKeys = parser('one or two keys, one a line, each 32 random bytes in base64', (text) => {
  const keys = text.split(/\s+/);
  return keys.length <= 2 && keys.every((key) => DATA_KEY.test(key)) ? text : undefined;
});
