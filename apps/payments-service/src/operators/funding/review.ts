import { formatDollars } from '@settle/contracts';
import { decideWithdrawal } from '@settle/payments-domain';
import { readContradiction } from '../../funding/contradictions.js';
import { fundingActOf } from '../../read-models/funding/funding-unit.js';
import { DONE } from '../run-command.js';
import type { CloseOrder, ReviewOrder } from './funding-arguments.js';
import {
  DRY_RUN,
  appendOnce,
  awaitProduct,
  historiesOf,
  requireChangesRead,
  type FundingPlace,
} from './funding-place.js';

/**
 * Approves or refuses a withdrawal that waits for an operator. A refusal is possible until its payout is requested. Errors:
 * there is no such withdrawal, or it is too late or too early; those of `requireChangesRead`.
 */
export async function reviewWithdrawal(place: FundingPlace, order: ReviewOrder): Promise<number> {
  const { say, clock } = place;
  const { type, withdrawalId: id, decision, isConfirmed } = order;
  await requireChangesRead(place);
  const read = () => historiesOf(place).read({ kind: 'withdrawal', id });
  const { funding, revision } = await read();
  if (funding.kind !== 'withdrawal' || funding.state.status === 'none') throw new Error(`There is no withdrawal ${id}`);
  const { state, steps } = funding;
  const decided = decideWithdrawal({ type, decision, atUs: clock.nowUs() }, state, steps.isWithdrawn);
  const named = `withdrawal ${id} of ${formatDollars(state.facts.amountCents)} by the user ${state.facts.userId}`;
  switch (decided.kind) {
    case 'already':
      say(`${named}: ${type === 'approve' ? 'approved' : 'cancelled'} already; nothing was stored`);
      return DONE;
    case 'not-yet':
      throw new Error(`${named}: its money has not left the wallet yet. Try again in a few seconds`);
    case 'append':
      break;
    default:
      throw new Error(`${named}: it is ${state.status}, so it is too late to ${type} it`);
  }
  say(
    `${named}: ${type === 'approve' ? 'approve, so that it is paid out' : 'refuse, so that the money is balance again'}`,
  );
  if (!isConfirmed) {
    say(DRY_RUN);
    return DONE;
  }
  await appendOnce(place, [{ kind: 'withdrawal', id, event: decided.event }], revision);
  const isFinished = await awaitProduct(place, async () => {
    const act = fundingActOf((await read()).funding);
    return act === null || act === 'ask';
  });
  if (isFinished) say(`withdrawal ${id}: ${(await read()).funding.state.status}`);
  return DONE;
}

/** Closes what the provider contradicted, once an operator has looked at it. It moves no money. */
export async function closeContradiction(place: FundingPlace, order: CloseOrder): Promise<number> {
  const { store, say, clock } = place;
  const { key, decision, isConfirmed } = order;
  const ref = { kind: 'contradiction', id: key } as const;
  const { state, revision } = await readContradiction(store, key);
  if (state.status === 'none') throw new Error(`There is no contradiction under the key ${key}`);
  if (state.status === 'closed') {
    say(`contradiction ${key}: closed already; nothing was stored`);
    return DONE;
  }
  say(`contradiction ${key} (${state.contradiction}): close it; no money moves`);
  if (!isConfirmed) {
    say(DRY_RUN);
    return DONE;
  }
  const data = { decision, atUs: clock.nowUs() };
  await appendOnce(place, [{ ...ref, event: { type: 'ContradictionClosed', data } }], revision);
  say(`contradiction ${key}: closed`);
  return DONE;
}
