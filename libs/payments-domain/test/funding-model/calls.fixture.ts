import type { ProviderAnswer } from '../../src/provider-answers.js';
import type { Kind, Message } from './provider.fixture.js';
import type { World } from './world.fixture.js';

/** After how long a charge is cancelled that has no answer. */
export const PENDING_US = 90_000_000;

interface Call {
  readonly kind: Kind;
  readonly key: string;
  readonly chargeKey: string;
  readonly amountCents: number;
  readonly beginBeforeUs: number;
  readonly isEnded: boolean;
}

export interface Answered<State extends string> {
  readonly answer: ProviderAnswer<State>;
  readonly isMissingFinal: boolean;
  readonly amountCents: number;
}

/** Asks the provider about a key as `providerRequest` says. */
export function* callProvider<State extends string>(world: World, call: Call): Generator<void, Answered<State>> {
  const { provider, rules, chance } = world;
  const { kind, key, amountCents, isEnded } = call;
  const pendingUs = kind === 'charge' ? PENDING_US : Infinity;
  const request = rules.providerRequest(call, world.nowUs, pendingUs);
  const beginBeforeUs = rules.sendsStoredBeginBefore ? call.beginBeforeUs : world.nowUs + 30_000_000;
  const message: Message = { ...call, verb: 'put', beginBeforeUs, answer: 'unknown' };
  if (kind === 'charge' && request.cancels && (isEnded || chance.hits(0.5))) {
    provider.messages.push({ ...message, verb: 'cancel' });
  }
  if (request.method === 'put') {
    provider.messages.push(message);
    for (let waits = 0; waits < 4 && message.answer === 'unknown'; waits += 1) {
      if (world.isDraining) provider.deliverOne();
      yield;
    }
    const answer = message.answer as ProviderAnswer<State>;
    return { answer, isMissingFinal: request.isMissingFinal, amountCents };
  }
  yield;
  const answer = provider.get(kind, key) as ProviderAnswer<State>;
  yield;
  const isLost = !world.isDraining && chance.hits(world.scenario.losses);
  return { answer: isLost ? 'unknown' : answer, isMissingFinal: request.isMissingFinal, amountCents };
}
