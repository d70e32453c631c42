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
import { CodeMessages } from '../proofs/code-messages.js';
import { Codes } from '../proofs/codes.js';
import type { SignedIn } from '../sign-in/sessions.js';
import { LoginAddress } from '../tables/login-address.entity.js';
import { askFor } from './ask-for.js';
import { letSignIn, takeAway } from './login-addresses.js';

/** An address that somebody says is theirs. */
export interface AddressClaim {
  readonly kind: AddressKind;
  /** An e-mail as its owner spells it, a phone in E.164. */
  readonly address: string;
  readonly sessionId: string;
  /** The caller's address. */
  readonly askedFrom: string;
}

/** Proves further addresses of people who are signed in, and takes them away. Users-service decides; then one can sign in with it. */
@Injectable()
export class AddressProofs {
  constructor(
    private readonly dataSource: DataSource,
    private readonly client: MessageClient,
    private readonly codes: Codes,
    private readonly messages: CodeMessages,
    private readonly security: SecurityLog,
  ) {}

  /** Sends a code to the address. Errors: those of `CodeMessages.begin`. */
  async begin({ kind, address, sessionId, askedFrom }: AddressClaim): Promise<void> {
    const recipient = { kind, to: address, askedFrom };
    await this.messages.begin(recipient);
    const place = { purpose: kind, browserId: sessionId };
    this.messages.sendCode(recipient, await this.codes.issue(place, address, normaliseAddress(kind, address)));
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
    return this.codes.subject({ purpose: kind, browserId: sessionId });
  }

  /** The account with the address proven; null when the code is wrong. Errors: those of `users.prove-address`. */
  async complete(kind: AddressKind, { sessionId, userId }: SignedIn, typedCode: string): Promise<Account | null> {
    const place = { purpose: kind, browserId: sessionId };
    const proof = await this.codes.check(place, typedCode);
    if (proof === null) return null;
    const { subject: address, provenAtUs } = proof;
    const account = await askFor(this.client, proveAddress, { userId, kind, address, provenAtUs });
    await this.#letSignIn({ kind, value: normaliseAddress(kind, address), userId, provenAtUs: String(provenAtUs) });
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
        this.#tellRemoved(held, { kind, value, userId });
      }
      throw error;
    }
    this.#tellRemoved(held, { kind, value, userId });
  }

  #tellRemoved(held: readonly LoginAddress[], { kind, value, userId }: Omit<LoginAddress, 'provenAtUs'>): void {
    this.security.write('address_removed', { userId, kind });
    this.messages.tellAddressChanged(held, 'removed', value);
  }

  async #letSignIn(address: LoginAddress): Promise<void> {
    const { kind, userId } = address;
    const { isAdded, added, lost } = await this.dataSource.transaction((manager) => letSignIn(manager, address));
    if (isAdded) this.security.write('address_added', { userId, kind });
    if (lost[0] !== undefined) this.security.write('address_lost', { userId: lost[0].userId, kind });
    this.messages.tellAddressChanged(added, 'added', address.value);
    this.messages.tellAddressChanged(lost, 'lost', address.value);
  }
}

/** Whether nothing has changed for certain. */
function isRefusal(error: unknown): boolean {
  return error instanceof SettleError && error.status < 500;
}
