import { SCOPES, abilitiesOf, type Scope } from '@settle/contracts';

/** Everything that a scope alone opens, as the consent page says it beside the scope's box. */
export function scopeInWords(scope: Scope): string {
  const abilities = abilitiesOf([scope]);
  return abilities.length === 0 ? `Nothing: ${scope} opens nothing.` : `${abilities.join('. ')}.`;
}

/** The scopes named in `text`, separated by spaces or commas, each once; null when one is unknown or there is none. */
export function readScopes(text: string): Scope[] | null {
  const names = new Set(text.split(/[ ,]+/).filter((name) => name !== ''));
  const scopes = SCOPES.filter((scope) => names.has(scope));
  return names.size > 0 && scopes.length === names.size ? scopes : null;
}
