/** The methods of each path. Filled as routes are added; read for requests that no route matched. */
export class KnownPaths {
  readonly #methodsByPath = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>();

  /** @param path in Fastify's form: `:name` for one segment, `*` at the end for the rest */
  add(path: string, methods: readonly string[]): void {
    const known = this.#methodsByPath.get(path) ?? { pattern: patternOf(path), methods: new Set(['OPTIONS']) };
    methods.forEach((method) => known.methods.add(method));
    this.#methodsByPath.set(path, known);
  }

  /** Returns the value of `Allow` for a path; null if it has no route. @param path without query */
  allow(path: string): string | null {
    const methods = [...this.#methodsByPath.values()].find(({ pattern }) => pattern.test(path))?.methods;
    return methods === undefined ? null : [...methods].sort().join(', ');
  }
}

function patternOf(path: string): RegExp {
  const escaped = path.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/:[^/]+/g, '[^/]+').replace(/\*$/, '.*')}$`);
}
