import {
  SettleError,
  normaliseAddress,
  proveAddress,
  removeAddress,
  type Account,
  type AddressKind,
} from '@settle/contracts';
import { MessageClient } from '@settle/messaging';
import { SecurityLog } from '@settle/observability';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CodeMessages } from '../verification/code-messages.js';
import { VerificationCodes } from '../verification/verification-codes.js';
import type { SignedInUser } from '../sign-in/sessions.js';
import { LoginAddress } from '../tables/login-address.entity.js';
import { askFor } from './ask-for.js';
import { letSignIn, reachableAt, takeAway } from './login-addresses.js';

/** An address that somebody says is theirs. */
export interface AddressClaim {
  readonly kind: AddressKind;
  /** An e-mail as its owner spells it, a phone in E.164. */
  readonly address: string;
  readonly sessionId: string;
  readonly userId: string;
  /** The caller's address. */
  readonly callerIp: string;
}

/** Proves further addresses of people who are signed in, and takes them away. Users-service decides; then one can sign in with it. */
@Injectable()
export class AddressProofs {
  constructor(
    private readonly dataSource: DataSource,
    private readonly client: MessageClient,
    private readonly codes: VerificationCodes,
    private readonly messages: CodeMessages,
    private readonly security: SecurityLog,
  ) {}

  /** Sends a code to the address. Errors: those of `CodeMessages.begin`. */
  async begin({ kind, address, sessionId, userId, callerIp }: AddressClaim): Promise<void> {
    const recipient = { kind, to: address, callerIp, userId };
    await this.messages.throttle(recipient);
    const place = { purpose: kind, browserId: sessionId };
    this.messages.sendCode(recipient, kind, await this.codes.issue(place, address, normaliseAddress(kind, address)));
  }

  /** The same; false where no code can be sent just now. */
  async beginIfPossible(claim: AddressClaim): Promise<boolean> {
    try {
      await this.begin(claim);
      return true;
    } catch (error) {
      if (error instanceof SettleError) return false;
      throw error;
    }
  }

  /** The address whose code waits to be typed in this session. */
  waiting(kind: AddressKind, sessionId: string): Promise<string | null> {
    return this.codes.findSubject({ purpose: kind, browserId: sessionId });
  }

  /** The account with the address proven; null when the code is wrong. Errors: those of `users.prove-address`. */
  async complete(kind: AddressKind, { sessionId, userId }: SignedInUser, typedCode: string): Promise<Account | null> {
    const place = { purpose: kind, browserId: sessionId };
    const proof = await this.codes.check(place, typedCode);
    if (proof === null) return null;
    const { subject: address, provenAtUs } = proof;
    const account = await askFor(this.client, proveAddress, { userId, kind, address, provenAtUs });
    const value = normaliseAddress(kind, address);
    await this.#letSignIn({ kind, value, spelling: address, userId, provenAtUs: String(provenAtUs) });
    await this.codes.discard(place);
    return account;
  }

  /**
   * Nobody signs in with it any more from before users-service is asked, whose answer may be lost.
   * @param value normalised. Errors: those of `users.remove-address`; after a refusal it stays
   */
  async remove(userId: string, kind: AddressKind, value: string): Promise<void> {
    const held = await this.dataSource.getRepository(LoginAddress).findBy({ userId });
    const taken = await this.dataSource.transaction((manager) => takeAway(manager, { kind, value, userId }));
    try {
      await askFor(this.client, removeAddress, { userId, kind, value });
    } catch (error) {
      if (taken !== null && isRefusal(error)) {
        await this.dataSource.transaction((manager) => letSignIn(manager, taken));
      } else if (taken !== null) {
        await this.#tellRemoved(held, { kind, value, userId });
      }
      throw error;
    }
    await this.#tellRemoved(held, { kind, value, userId });
  }

  async #tellRemoved(
    held: readonly LoginAddress[],
    { kind, value, userId }: Pick<LoginAddress, 'kind' | 'value' | 'userId'>,
  ): Promise<void> {
    this.security.write('address_removed', { userId, kind });
    await this.messages.notifyAddressChanged(this.dataSource.manager, held.map(reachableAt), 'removed', value);
  }

  async #letSignIn(address: LoginAddress): Promise<void> {
    const { kind, userId } = address;
    const { isAdded, lost } = await this.dataSource.transaction(async (manager) => {
      const change = await letSignIn(manager, address);
      await this.messages.notifyAddressChanged(manager, change.added.map(reachableAt), 'added', address.value);
      await this.messages.notifyAddressChanged(manager, change.lost.map(reachableAt), 'lost', address.value);
      return change;
    });
    if (isAdded) this.security.write('address_added', { userId, kind });
    if (lost[0] !== undefined) this.security.write('address_lost', { userId: lost[0].userId, kind });
  }
}

/** Whether nothing has changed for certain. */
function isRefusal(error: unknown): boolean {
  return error instanceof SettleError && error.status < 500;
}
