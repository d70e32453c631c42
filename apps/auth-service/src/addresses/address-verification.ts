import {
  SettleError,
  getAccount,
  normalizeAddress,
  verifyAddress,
  removeAddress,
  type AddressKind,
} from '@settle/contracts';
import { MessageClient } from '@settle/messaging';
import { SecurityLog } from '@settle/observability';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CodeMessages, type Recipient } from '../verification/code-messages.js';
import { VerificationCodes } from '../verification/verification-codes.js';
import type { SignedInUser } from '../sign-in/sessions.js';
import { LoginAddress } from '../tables/login-address.entity.js';
import { requestForUser } from '../user-requests/user-requests.js';
import { assignLoginAddress, removeLoginAddress, type OwnedAddress } from './login-addresses.js';

/** An address that a signed-in user claims to own. */
type AddressClaim = Required<Recipient> & { readonly sessionId: string };

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
  async sendCode(claim: AddressClaim): Promise<void> {
    await this.messages.throttle(claim);
    const { kind, to, sessionId } = claim;
    const code = await this.codes.issue({ purpose: kind, browserId: sessionId }, to, normalizeAddress(kind, to));
    this.messages.sendCode(claim, kind, code);
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

  /** Verifies the address. Returns false if the code is wrong. Throws the errors of `users.prove-address`. */
  async complete(kind: AddressKind, { sessionId, userId }: SignedInUser, typedCode: string): Promise<boolean> {
    const codeKey = { purpose: kind, browserId: sessionId };
    const verified = await this.codes.check(codeKey, typedCode);
    if (verified === null) return false;
    const { subject: address, provenAtUs } = verified;
    await requestForUser(this.client, verifyAddress, { userId, kind, address, provenAtUs });
    const value = normalizeAddress(kind, address);
    const login = { kind, value, spelling: address, userId, provenAtUs: String(provenAtUs) };
    const { isAdded, lost } = await this.dataSource.transaction(async (manager) => {
      const change = await assignLoginAddress(manager, login);
      await this.messages.notifyAddressChanged(manager, change.added, 'added', value);
      await this.messages.notifyAddressChanged(manager, change.lost, 'lost', value);
      return change;
    });
    if (isAdded) this.security.write('address_added', { userId, kind });
    if (lost[0] !== undefined) this.security.write('address_lost', { userId: lost[0].userId, kind });
    await this.codes.discard(codeKey);
    return true;
  }

  /**
   * Removes an address. Sign-in with it ends before the request to users-service, because the response may be lost. If
   * users-service refuses, the address is restored. Returns false if the user does not have the address. Throws the errors
   * of `users.remove-address`.
   * @param address its value is normalized
   */
  async remove(address: OwnedAddress): Promise<boolean> {
    const { kind, value, userId } = address;
    const held = await this.dataSource.getRepository(LoginAddress).findBy({ userId });
    const removed = await this.dataSource.transaction((manager) => removeLoginAddress(manager, address));
    // After a lost response the user cannot sign in with the address any more, but users-service may still have it.
    if (removed === null && !(await this.#isInProfile(address))) return false;
    const notify = async () => {
      if (removed === null) return;
      this.security.write('address_removed', { userId, kind });
      await this.messages.notifyAddressChanged(this.dataSource.manager, held, 'removed', value);
    };
    try {
      await requestForUser(this.client, removeAddress, { userId, kind, value });
    } catch (error) {
      if (removed !== null && isRefusal(error)) {
        await this.dataSource.transaction((manager) => assignLoginAddress(manager, removed));
      } else {
        await notify();
      }
      throw error;
    }
    await notify();
    return true;
  }

  async #isInProfile({ userId, kind, value }: OwnedAddress): Promise<boolean> {
    const { addresses } = await requestForUser(this.client, getAccount, { userId });
    return addresses.some((one) => one.kind === kind && normalizeAddress(kind, one.value) === value);
  }
}

/** Whether users-service rejected the request, so that nothing changed. */
function isRefusal(error: unknown): boolean {
  return error instanceof SettleError && error.status < 500;
}
