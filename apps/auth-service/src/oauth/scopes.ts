import { SCOPES, abilitiesOf, type Scope } from '@settle/contracts';

/** Returns everything that a scope allows, for its checkbox on the consent page. */
export function describeScope(scope: Scope): string {
  const abilities = abilitiesOf([scope]);
  return abilities.length === 0 ? `Nothing: ${scope} grants no access.` : `${abilities.join('. ')}.`;
}

/** Returns the scopes in `text`, separated by spaces or commas, or null if one is unknown or none is named. */
export function parseScopes(text: string): Scope[] | null {
  const names = new Set(text.split(/[ ,]+/).filter((name) => name !== ''));
  const scopes = SCOPES.filter((scope) => names.has(scope));
  return names.size > 0 && scopes.length === names.size ? scopes : null;
}
