import {
  SettleError,
  normalizeAddress,
  verifyAddress,
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
import { requestForUser } from '../user-requests/user-requests.js';
import { assignLoginAddress, removeLoginAddress } from './login-addresses.js';

/** An address that a signed-in user claims to own. */
export interface AddressClaim {
  readonly kind: AddressKind;
  /** An e-mail in the user's spelling, or a phone number in E.164. */
  readonly address: string;
  readonly sessionId: string;
  readonly userId: string;
  /** The caller's IP address. */
  readonly callerIp: string;
}

/**
 * Adds addresses to a signed-in user's account by verification code, and removes them. Users-service decides; once it
 * accepts an address, the user can sign in with it.
 */
@Injectable()
export class AddressVerification {
  constructor(
    private readonly dataSource: DataSource,
    private readonly client: MessageClient,
    private readonly codes: VerificationCodes,
    private readonly messages: CodeMessages,
    private readonly security: SecurityLog,
  ) {}

  /** Sends a code to the address. Throws the errors of `CodeMessages.throttle`. */
  async sendCode({ kind, address, sessionId, userId, callerIp }: AddressClaim): Promise<void> {
    const recipient = { kind, to: address, callerIp, userId };
    await this.messages.throttle(recipient);
    const codeKey = { purpose: kind, browserId: sessionId };
    this.messages.sendCode(recipient, kind, await this.codes.issue(codeKey, address, normalizeAddress(kind, address)));
  }

  /** Sends a code like `sendCode`, but returns false if no code can be sent now. */
  async trySendCode(claim: AddressClaim): Promise<boolean> {
    try {
      await this.sendCode(claim);
      return true;
    } catch (error) {
      if (error instanceof SettleError) return false;
      throw error;
    }
  }

  /** Returns the address whose verification is pending in this session, or null. */
  findPendingAddress(kind: AddressKind, sessionId: string): Promise<string | null> {
    return this.codes.findSubject({ purpose: kind, browserId: sessionId });
  }

  /**
   * Verifies the address and returns the updated account, or null if the code is wrong. Throws the errors of
   * `users.prove-address`.
   */
  async complete(kind: AddressKind, { sessionId, userId }: SignedInUser, typedCode: string): Promise<Account | null> {
    const codeKey = { purpose: kind, browserId: sessionId };
    const verified = await this.codes.check(codeKey, typedCode);
    if (verified === null) return null;
    const { subject: address, provenAtUs } = verified;
    const account = await requestForUser(this.client, verifyAddress, { userId, kind, address, provenAtUs });
    const value = normalizeAddress(kind, address);
    await this.#assignLoginAddress({ kind, value, spelling: address, userId, provenAtUs: String(provenAtUs) });
    await this.codes.discard(codeKey);
    return account;
  }

  /**
   * Removes an address. Sign-in with it ends before the request to users-service, because the response may be lost. If
   * users-service refuses, the address is restored. Throws the errors of `users.remove-address`.
   * @param value normalized
   */
  async remove(userId: string, kind: AddressKind, value: string): Promise<void> {
    const addresses = await this.dataSource.getRepository(LoginAddress).findBy({ userId });
    const removed = await this.dataSource.transaction((manager) =>
      removeLoginAddress(manager, { kind, value, userId }),
    );
    try {
      await requestForUser(this.client, removeAddress, { userId, kind, value });
    } catch (error) {
      if (removed !== null && isRefusal(error)) {
        await this.dataSource.transaction((manager) => assignLoginAddress(manager, removed));
      } else if (removed !== null) {
        await this.#notifyRemoved(addresses, { kind, value, userId });
      }
      throw error;
    }
    await this.#notifyRemoved(addresses, { kind, value, userId });
  }

  async #notifyRemoved(
    addresses: readonly LoginAddress[],
    { kind, value, userId }: Pick<LoginAddress, 'kind' | 'value' | 'userId'>,
  ): Promise<void> {
    this.security.write('address_removed', { userId, kind });
    await this.messages.notifyAddressChanged(this.dataSource.manager, addresses, 'removed', value);
  }

  async #assignLoginAddress(address: LoginAddress): Promise<void> {
    const { kind, userId } = address;
    const { isAdded, lost } = await this.dataSource.transaction(async (manager) => {
      const change = await assignLoginAddress(manager, address);
      await this.messages.notifyAddressChanged(manager, change.added, 'added', address.value);
      await this.messages.notifyAddressChanged(manager, change.lost, 'lost', address.value);
      return change;
    });
    if (isAdded) this.security.write('address_added', { userId, kind });
    if (lost[0] !== undefined) this.security.write('address_lost', { userId: lost[0].userId, kind });
  }
}

/** Whether users-service rejected the request, so that nothing changed. */
function isRefusal(error: unknown): boolean {
  return error instanceof SettleError && error.status < 500;
}
