import { SCOPES } from '@settle/contracts';
import { eventually } from '@settle/testing';
import type { ApiResponse } from '../client.js';
import { obtainToken } from '../sign-in.js';
import { befriend, signUp, type SignedUpUser } from '../sign-up.js';
import { unknownEmail } from '../users.js';
import type { WireCreated } from '../wire.js';

const idOf = ({ body }: ApiResponse<WireCreated>) => body.data.payment.id;

/**
 * Makes each service send messages to the others: one user signs in, another signs up, becomes a friend, is paid, charges
 * and pays an address. Every response must be the documented one.
 */
export async function useEveryService(payer: SignedUpUser): Promise<void> {
  await obtainToken('carol', SCOPES);
  const user = await signUp();
  await befriend(user, payer);
  // Others learn of a new user a moment later.
  const paid = await eventually(async () => {
    const response = await payer.send({ user_id: user.id }, '1.00');
    expect(response.body.data.payment.status).toBe('settled');
    return response;
  });
  const charged = await user.send({ user_id: payer.id }, '-0.40');
  expect((await payer.act(idOf(charged), 'approve')).body.data.status).toBe('settled');
  const held = await user.send({ email: unknownEmail() }, '0.30');
  expect((await user.act(idOf(held), 'cancel')).body.data.status).toBe('cancelled');
  expect(await user.balanceCents()).toBe(140);
  const listed = (await user.list()).body.data.map(({ id }) => id);
  expect(listed.toSorted()).toEqual([paid, charged, held].map(idOf).toSorted());
}
