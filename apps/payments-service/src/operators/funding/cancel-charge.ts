import { isId, formatDollars } from '@settle/contracts';
import type { Pool } from 'pg';
import type { SourceCall } from '../../provider/provider-client.js';
import { DONE } from '../run-command.js';
import { makeDue } from './make-due.js';
import type { ProviderOrder } from './funding-arguments.js';
import { DRY_RUN, historiesOf, type FundingPlace } from './funding-place.js';
import { openProvider, type AskedProvider } from './open-provider.js';

type Charge = Pick<SourceCall, 'userId' | 'amountCents' | 'sourceId' | 'beginBeforeUs'>;

/**
 * Asks the provider to cancel a charge that it has not decided. Its answer alone decides: money of a charge that it has
 * approved by then comes in. Errors: no charge waits under the key; no provider is set, or it does not answer.
 * @param open absent: connects to the provider of the settings
 */
export async function cancelCharge(
  place: FundingPlace,
  { key, isConfirmed }: ProviderOrder,
  open: (place: FundingPlace) => { provider: Pick<AskedProvider, 'charge'>; close: () => Promise<void> } = openProvider,
): Promise<number> {
  const { say } = place;
  const charge = await findCharge(place, key);
  say(
    `charge ${key} of ${formatDollars(charge.amountCents)} by the user ${charge.userId}: ask the provider to cancel it`,
  );
  if (!isConfirmed) {
    say(DRY_RUN);
    return DONE;
  }
  const { provider, close } = open(place);
  try {
    const request = { method: 'get', cancels: true, isMissingFinal: false } as const;
    const answer = await provider.charge({ ...charge, key, request });
    if (typeof answer === 'string') {
      throw new Error(`The provider did not answer. Run the command again: a repetition does no harm`);
    }
    say(`charge ${key}: ${answer.state} at the provider`);
  } finally {
    await close();
  }
  return makeDue(place, key);
}

async function findCharge(place: FundingPlace, key: string): Promise<Charge> {
  const [paymentId = ''] = key.split(':', 1);
  const ofPayment = isId(paymentId) ? await findPaymentCharge(place.pool, key, paymentId) : null;
  if (ofPayment !== null) return ofPayment;
  const { funding } = await historiesOf(place).read({ kind: 'deposit', id: key });
  if (funding.kind === 'deposit' && funding.state.status === 'requested' && funding.state.facts.booking === null) {
    return funding.state.facts;
  }
  throw new Error(
    `No charge waits under the key ${key}. A withdrawal is refused with "withdrawal refuse"; ` +
      '"npm run funding -- pending" lists the keys',
  );
}

/** Returns the charge of a payment that the journal shows without an answer; null if there is none. */
async function findPaymentCharge(pool: Pool, key: string, paymentId: string): Promise<Charge | null> {
  const { rows } = await pool.query<Charge & { readonly type: string }>(
    `select l.event_type as type, l.wallet_id as "userId", l.source_id as "sourceId",
        (p.amount_cents + p.fee_cents)::float8 as "amountCents", l.begin_before_us::float8 as "beginBeforeUs"
      from ledger_entries l join payments p on p.id = l.payment_id
      where l.payment_id = $1 and l.charge_key = $2 order by l.revision limit 2`,
    [paymentId, key],
  );
  const [requested, answered] = rows;
  if (requested?.type !== 'FundingRequested' || answered !== undefined) return null;
  const { userId, sourceId, amountCents, beginBeforeUs } = requested;
  return { userId, sourceId, amountCents, beginBeforeUs };
}
