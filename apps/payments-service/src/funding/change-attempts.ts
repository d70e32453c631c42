import { KeyedMutex, sleep } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import type { Contradiction } from '@settle/payments-domain';
import type { ProviderClient } from '../provider/provider-client.js';
import type { ObjectOfKind, ProviderKind } from '../provider/provider-objects.js';
import type { Contradictions } from './contradictions.js';

const { changeSteps, changePauseMinMs, changePauseMaxMs } = LIMITS.provider;

/** The part of the provider that is read. Its calls never reject. */
export type ReadableProvider = Pick<ProviderClient, 'read' | 'readProvider' | 'changesAfter'>;

/** The provider answers nothing now: a change that needs it is tried again until it does. */
export class ProviderSilent extends Error {}

/** A decision about an object, by the log: `applied` if it has everything that follows, `again` after a step towards that. */
export type ChangeVerdict =
  | { readonly kind: 'applied' }
  | { readonly kind: 'again' }
  | { readonly kind: 'contradiction'; readonly contradiction: Contradiction };

export const APPLIED: ChangeVerdict = { kind: 'applied' };
export const AGAIN: ChangeVerdict = { kind: 'again' };

interface AttemptParts {
  readonly provider: ReadableProvider;
  readonly contradictions: Contradictions;
}

/** Reads an object of the provider and decides about it until the log has what follows from it. */
export class ChangeAttempts {
  readonly #exclusive = new KeyedMutex();

  constructor(private readonly parts: AttemptParts) {}

  /**
   * Decides until nothing is left to do, or stores what contradicts the log. Errors: `ProviderSilent`; another one if the
   * object cannot be read, or too many steps did not suffice; those of `decide`.
   * @param leastVersion of which the provider has told: an earlier one comes from a copy that is behind, and is not believed
   */
  async untilApplied<Kind extends ProviderKind>(
    kind: Kind,
    key: string,
    decide: (object: ObjectOfKind[Kind]) => Promise<ChangeVerdict>,
    leastVersion = 0,
  ): Promise<'applied' | Contradiction> {
    return this.#exclusive.run(`${kind}/${key}`, async () => {
      let object = await this.#read(kind, key, leastVersion);
      for (let step = 0; step < changeSteps; step += 1) {
        // The first step of this instance is stored when it is decided again; another instance takes some time.
        if (step > 1) await sleep(Math.min(changePauseMinMs * 2 ** (step - 2), changePauseMaxMs));
        const verdict = await decide(object);
        if (verdict.kind === 'applied') return 'applied';
        if (verdict.kind === 'again') continue;
        // The object may have changed between the read of it and that of the log.
        const newest = await this.#read(kind, key, leastVersion);
        if (newest.version === object.version) {
          await this.parts.contradictions.record(key, verdict.contradiction, object.version);
          return verdict.contradiction;
        }
        object = newest;
      }
      throw new Error(`The change of the ${kind} ${key} was not applied in ${changeSteps} steps`);
    });
  }

  /** Error: `ProviderSilent` if the provider does not answer at all, otherwise another one. */
  async failAsUnanswered(message: string): Promise<never> {
    const isSilent = (await this.parts.provider.readProvider()) === 'unknown';
    throw isSilent ? new ProviderSilent(message) : new Error(message);
  }

  async #read<Kind extends ProviderKind>(kind: Kind, key: string, leastVersion: number): Promise<ObjectOfKind[Kind]> {
    const object = await this.parts.provider.read(kind, key);
    if (typeof object !== 'string' && object.version >= leastVersion) return object;
    const why = typeof object === 'string' ? object : `its version is ${object.version}, not ${leastVersion}`;
    return this.failAsUnanswered(`The ${kind} ${key} of the list of changes cannot be read: ${why}`);
  }
}
