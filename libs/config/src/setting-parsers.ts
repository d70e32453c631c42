/** Each parser gives the value that a text stands for, or undefined when it stands for none. */
export type Parser<Value> = (text: string) => Value | undefined;

const HOST_PATTERN = /^[A-Za-z0-9]([A-Za-z0-9.-]{0,252}[A-Za-z0-9])?$|^[0-9A-Fa-f:]*::?[0-9A-Fa-f:.]*$/;
const MONEY_PATTERN = /^([0-9]{1,9})(?:\.([0-9]{1,2}))?$/;
const LOOPBACK_HOSTS = new Set(['localhost', '::1', '[::1]']);

/** One of a few words, as written. */
export function oneOf<const Choice extends string>(choices: readonly Choice[]): Parser<Choice> {
  return (text) => choices.find((choice) => choice === text);
}

/** A whole number without sign or point, `min` and `max` included. */
export function wholeNumber(min: number, max: number): Parser<number> {
  return (text) => {
    const value = /^[0-9]{1,9}$/.test(text) ? Number(text) : NaN;
    return value >= min && value <= max ? value : undefined;
  };
}

export const yesOrNo: Parser<boolean> = (text) => (text === 'true' ? true : text === 'false' ? false : undefined);

export const onOrOff: Parser<boolean> = (text) => (text === 'on' ? true : text === 'off' ? false : undefined);

export const hostName: Parser<string> = (text) => (HOST_PATTERN.test(text) ? text : undefined);

export const folder: Parser<string> = (text) => (text.includes('\0') ? undefined : text);

/** A positive decimal with at most two fraction digits, as integer cents. */
export const moneyAsCents: Parser<number> = (text) => {
  const [, whole, fraction = ''] = MONEY_PATTERN.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const cents = Number(whole) * 100 + Number(fraction.padEnd(2, '0'));
  return cents > 0 ? cents : undefined;
};

/** Scheme, host and port alone; gives it without a slash at the end. */
export const webOrigin: Parser<string> = (text) => {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isWeb = url.protocol === 'http:' || url.protocol === 'https:';
  const isOrigin = url.pathname === '/' && !/[?#@]/.test(text);
  return isWeb && isOrigin ? url.origin : undefined;
};

export const webOrigins: Parser<readonly string[]> = (text) => {
  const origins = text.split(',').map((part) => webOrigin(part.trim()));
  return origins.every((origin) => origin !== undefined) ? origins : undefined;
};

/** A web address with or without a path, but nothing behind it and no credentials; without a slash at the end. */
export const baseAddress: Parser<string> = (text) => {
  if (!URL.canParse(text) || /[?#@]/.test(text)) return undefined;
  const { protocol, href } = new URL(text);
  return protocol === 'http:' || protocol === 'https:' ? href.replace(/\/+$/, '') : undefined;
};

/** Whether `host`, the host of a URL or an address to listen on, stands for this machine alone. */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK_HOSTS.has(host) || /^127(?:\.[0-9]{1,3}){3}$/.test(host);
}

export const postgresUrl: Parser<string> = (text) => {
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text).hostname === '' ? undefined : text;
};

const ESDB_PATTERN =
  /^esdb(\+discover)?:\/\/([^\s/?#@]+@)?([^\s/?#@,:]+(:[0-9]{1,5})?)(,[^\s/?#@,:]+(:[0-9]{1,5})?)*\/?(\?[^\s#]*)?$/;

/** One host or several, with what the client library takes as options. */
export const eventStoreDbUrl: Parser<string> = (text) => (ESDB_PATTERN.test(text) ? text : undefined);

const BROKER_PATTERN = /^([A-Za-z0-9]([A-Za-z0-9.-]{0,252}[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\]):([0-9]{1,5})$/;

/** Several `host:port`, separated by commas. */
export const brokerList: Parser<readonly string[]> = (text) => {
  const brokers = text.split(',').map((part) => part.trim());
  const areAddresses = brokers.every((broker) => {
    const port = Number(BROKER_PATTERN.exec(broker)?.[3]);
    return port >= 1 && port <= 65_535;
  });
  return areAddresses ? brokers : undefined;
};

const KAFKA_NAME_PATTERN = /^[A-Za-z0-9._-]{1,100}$/;

export const topicPrefix: Parser<string> = (text) => (KAFKA_NAME_PATTERN.test(text) ? text : undefined);

export const instanceName: Parser<string> = (text) => (KAFKA_NAME_PATTERN.test(text) ? text : undefined);

export const credential: Parser<string> = (text) => (/^[\x21-\x7e]{1,255}$/.test(text) ? text : undefined);

/** Scopes of OAuth, separated by single spaces. */
export const scopes: Parser<string> = (text) =>
  /^[\x21-\x7e]+( [\x21-\x7e]+)*$/.test(text) && text.length <= 255 ? text : undefined;

/** A mail server, with who signs in there. */
export const smtpUrl: Parser<string> = (text) => {
  if (!/^smtps?:\/\//.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text).hostname === '' ? undefined : text;
};

/** An address alone, without a name. */
export const mailbox: Parser<string> = (text) => (/^[^\s@<>,;:"]+@[^\s@<>,;:"]+$/.test(text) ? text : undefined);

/** With a path and a query if needed, but without a password. */
export const webAddress: Parser<string> = (text) => {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) return undefined;
  const { username, password } = new URL(text);
  return username === '' && password === '' ? text : undefined;
};

/** Long enough not to be guessed. */
export const longSecret: Parser<string> = (text) => (/^[\x21-\x7e]{32,255}$/.test(text) ? text : undefined);
