import { CURRENCY, isId, formatDollars } from '@settle/contracts';
import {
  answerOrphanRepayment,
  newestOrphanRepayment,
  repaymentResult,
  requestOrphanRepayment,
  type ContradictionEvent,
  type OrphanRepayment,
} from '@settle/payments-domain';
import { partsOfChargeKey } from '../../funding/charge-reader.js';
import { readContradiction, type StoredContradiction } from '../../funding/contradictions.js';
import { prepareCall } from '../../transfer/provider-calls.js';
import { DONE } from '../run-command.js';
import type { OrphanOrder } from './funding-arguments.js';
import { DRY_RUN, appendOnce, chargesOf, findUser, type FundingPlace } from './funding-place.js';
import { openProvider, type AskedProvider } from './open-provider.js';

/** Intents, answers and next tries of one run: a provider that never began one is asked for the next. */
const MOST_STEPS = 6;

type Owed = Pick<OrphanRepayment, 'userId' | 'amountCents'>;

/**
 * Gives back a charge that the provider has and the log does not know. The intent is stored before the provider is asked,
 * and a repetition continues it: the money goes back once. Errors: it is no such charge, it brought no money, or the log
 * knows it by now; no provider is set, it does not answer, or it refuses.
 * @param open absent: connects to the provider of the settings
 */
export async function repayOrphan(place: FundingPlace, order: OrphanOrder, open = openProvider): Promise<number> {
  const { say } = place;
  const { key, isConfirmed } = order;
  const newest = newestOrphanRepayment((await readOrphan(place, key)).state);
  if (newest?.state === 'accepted') return sayRepaid(place, key, newest);
  if (newest?.state === 'refused') throw refused(key, newest);
  const { provider, close } = open(place);
  try {
    const owed = newest?.state === 'requested' ? newest : await findOwed(place, provider, order);
    const amount = formatDollars(owed.amountCents);
    say(`charge ${key} of ${amount} by the user ${owed.userId}, which is not in the ledger: give it back`);
    if (isConfirmed) return await repay(place, provider, { order, owed });
    say(DRY_RUN);
    return DONE;
  } finally {
    await close();
  }
}

async function repay(
  place: FundingPlace,
  provider: AskedProvider,
  { order: { key, decision }, owed }: { readonly order: OrphanOrder; readonly owed: Owed },
): Promise<number> {
  for (let step = 0; step < MOST_STEPS; step += 1) {
    const stored = await readOrphan(place, key);
    const newest = newestOrphanRepayment(stored.state);
    if (newest?.state === 'accepted') return sayRepaid(place, key, newest);
    if (newest?.state === 'refused') throw refused(key, newest);
    const { userId, amountCents } = owed;
    const intent = { userId, amountCents, decision, atUs: place.clock.nowUs() };
    const events =
      newest?.state === 'requested'
        ? answerOrphanRepayment(newest.key, await askProvider(place, provider, { chargeKey: key, ...newest }), intent)
        : [requestOrphanRepayment(stored.state, key, intent)];
    await append(place, key, { events, revision: stored.revision });
  }
  throw new Error(`The provider has not begun a repayment of the charge ${key} so far. Run the command again`);
}

/** Error: the provider does not answer, or not what was asked. The intent is stored, and the next run asks again. */
async function askProvider(
  { clock }: FundingPlace,
  provider: AskedProvider,
  { chargeKey, key, userId, amountCents, beginBeforeUs }: OrphanRepayment & { readonly chargeKey: string },
): Promise<'accepted' | 'refused' | 'missing'> {
  const { call, expected } = prepareCall({ key, userId, amountCents, beginBeforeUs }, clock);
  const result = repaymentResult(await provider.repay({ ...call, chargeKey }), expected);
  if (result.kind === 'contradiction') {
    throw new Error(`The provider answers ${result.contradiction} about the repayment ${key}: ask its support`);
  }
  if (result.kind !== 'unknown') return result.kind;
  throw new Error(`The repayment ${key} is requested and has no answer yet. Run the command again in a minute`);
}

/** Reads the charge at the provider. Errors: it brought no money, or the log knows it. */
async function findOwed(place: FundingPlace, provider: AskedProvider, { key, user }: OrphanOrder): Promise<Owed> {
  if ((await chargesOf(place).find(key)) !== null) {
    throw new Error(`The log knows the charge ${key} by now, so it is no orphan and is not given back`);
  }
  const charge = await provider.read('charge', key);
  if (charge === 'unknown') throw new Error('The provider did not answer. Nothing was stored. Run the command again');
  if (charge === 'missing') {
    throw new Error(`The provider has no charge ${key}. A repayment or payout without an event is settled by hand`);
  }
  if (charge.state !== 'approved') {
    throw new Error(`The charge ${key} is ${charge.state} at the provider: it has brought no money to give back`);
  }
  if (charge.currency !== CURRENCY) throw new Error(`The charge ${key} is in ${charge.currency}: ask the provider`);
  return { userId: await ownerOf(place, key, user), amountCents: charge.amount };
}

/** The key of a payment's charge names its payer; that of a deposit names no user. */
async function ownerOf(place: FundingPlace, key: string, user: string | null): Promise<string> {
  const parts = partsOfChargeKey(key);
  if (parts !== null) return parts.walletId;
  if (user === null) throw new Error(`--user: it is needed here, because the key ${key} does not name the user`);
  // A user who signed up after the backup is not known here any more.
  return isId(user) ? user : (await findUser(place, user)).card.id;
}

type StoredOrphan = StoredContradiction & { readonly state: { readonly status: 'open' | 'closed' } };

/** Error: there is no orphan of this key. */
async function readOrphan({ store }: FundingPlace, key: string): Promise<StoredOrphan> {
  const { state, revision } = await readContradiction(store, key);
  if (state.status === 'none' || state.contradiction !== 'unknown_key') {
    throw new Error(`There is no orphan under the key ${key}: "npm run funding -- pending" lists the keys`);
  }
  return { state, revision };
}

function append(
  place: FundingPlace,
  key: string,
  { events, revision }: { readonly events: readonly ContradictionEvent[]; readonly revision: number },
): Promise<void> {
  return appendOnce(
    place,
    events.map((event) => ({ kind: 'contradiction', id: key, event })),
    revision,
  );
}

function sayRepaid({ say }: FundingPlace, key: string, { key: repaymentKey, amountCents }: OrphanRepayment): number {
  say(`charge ${key}: ${formatDollars(amountCents)} is given back by the repayment ${repaymentKey}`);
  return DONE;
}

function refused(key: string, { key: repaymentKey }: OrphanRepayment): Error {
  return new Error(
    `The provider refuses the repayment ${repaymentKey}, as for a charge that was disputed. Settle it with its support, ` +
      `then write "npm run funding -- contradiction close ${key}"`,
  );
}
