import {
  ChangeAccount,
  ChangeFundingSource,
  CreateAccount,
  GetAccount,
  VerifyAddress,
  RemoveAddress,
  changeAccount,
  changeFundingSource,
  createAccount,
  getAccount,
  verifyAddress,
  removeAddress,
  type Account,
} from '@settle/contracts';
import { OnRequest } from '@settle/messaging';
import { Controller } from '@nestjs/common';
import { Accounts } from './accounts.js';

/** Handles auth-service's requests on behalf of the signed-in user. */
@Controller()
export class AccountsController {
  constructor(private readonly accounts: Accounts) {}

  @OnRequest(createAccount)
  createAccount(request: CreateAccount): Promise<Account> {
    return this.accounts.create(request);
  }

  @OnRequest(getAccount)
  account({ userId }: GetAccount): Promise<Account> {
    return this.accounts.read(userId);
  }

  @OnRequest(changeAccount)
  changeAccount(request: ChangeAccount): Promise<Account> {
    return this.accounts.change(request);
  }

  @OnRequest(verifyAddress)
  verifyAddress(request: VerifyAddress): Promise<Account> {
    return this.accounts.verifyAddress(request);
  }

  @OnRequest(removeAddress)
  removeAddress(request: RemoveAddress): Promise<Account> {
    return this.accounts.removeAddress(request);
  }

  @OnRequest(changeFundingSource)
  changeFundingSource(request: ChangeFundingSource): Promise<Account> {
    return this.accounts.changeFundingSource(request);
  }
}
