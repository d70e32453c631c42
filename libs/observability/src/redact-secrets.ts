/** Names of fields that may hold secret or personal data by mistake, in lower case without separators. */
const NEVER_LOGGED = new Set([
  'accesstoken',
  'authorization',
  'clientsecret',
  'code',
  'codeverifier',
  'cookie',
  'databaseurl',
  'email',
  'note',
  'password',
  'phone',
  'refreshtoken',
  'secret',
  'setcookie',
  'token',
]);
const HIDDEN = '[hidden]';
const DEEPEST = 4;

type Fields = Record<string, unknown>;

/** Names come from a small set in our sources, so each is checked once. */
const verdicts = new Map<string, boolean>();
const VERDICTS_KEPT = 1_000;

function mustHide(name: string): boolean {
  let verdict = verdicts.get(name);
  if (verdict === undefined) {
    verdict = NEVER_LOGGED.has(name.toLowerCase().replace(/[_-]/g, ''));
    if (verdicts.size < VERDICTS_KEPT) verdicts.set(name, verdict);
  }
  return verdict;
}

/**
 * Returns the fields of a line with secret and personal values hidden, or the same object if there are none. The
 * redaction of pino took thirty times as long as the rest of a line.
 */
export function redactSecrets(fields: Fields, depth = 1): Fields {
  let shown = fields;
  for (const name in fields) {
    const value = fields[name];
    const safe = mustHide(name) ? HIDDEN : safeValue(value, depth);
    if (safe === value) continue;
    if (shown === fields) shown = { ...fields };
    shown[name] = safe;
  }
  return shown;
}

function safeValue(value: unknown, depth: number): unknown {
  // Errors have a serializer of their own.
  if (typeof value !== 'object' || value === null || value instanceof Error) return value;
  if (depth === DEEPEST) return '[too deep to be shown]';
  if (Array.isArray(value)) return value.map((item: unknown) => safeValue(item, depth + 1));
  return redactSecrets(value as Fields, depth + 1);
}
