import type { UserRecord } from '@settle/contracts';
import type { LabInstance } from '../ledger-lab/ledger-lab.fixture.js';
import { anEmail } from '../ledger-lab/people.fixture.js';

/**
 * Makes payments of several kinds in each round: paid, refused for want of money, held and cancelled, charged and approved.
 * @param users the first of whom has money and the last of whom has none
 */
export async function makePayments(instance: LabInstance, users: readonly UserRecord[], rounds: number): Promise<void> {
  const [ann, bob, poor] = users as [UserRecord, UserRecord, UserRecord];
  for (let round = 0; round < rounds; round += 1) {
    const held = await instance.create(ann, anEmail());
    const charge = await instance.create(bob, ann, { action: 'charge' });
    await Promise.all([
      instance.create(ann, bob),
      instance.create(poor, bob),
      instance.act(ann, 'cancel', held.payment.id),
      instance.act(ann, 'approve', charge.payment.id),
    ]);
  }
}
