import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CodeMessages } from '../proofs/code-messages.js';
import { Passwords } from '../sign-in/passwords.js';
import { Sessions } from '../sign-in/sessions.js';
import { Credential } from '../tables/credential.entity.js';
import { LoginAddress } from '../tables/login-address.entity.js';

/** Gives people new passwords. */
@Injectable()
export class PasswordsOfPeople {
  constructor(
    private readonly dataSource: DataSource,
    private readonly passwords: Passwords,
    private readonly sessions: Sessions,
    private readonly messages: CodeMessages,
  ) {}

  /** Ends all sessions of the person, and tells them. Error: `rate_limited` when too many passwords are hashed. */
  async change(userId: string, password: string): Promise<void> {
    const passwordHash = await this.passwords.hash(password);
    await this.dataSource.getRepository(Credential).update({ userId }, { passwordHash });
    await this.sessions.endAll(userId);
    const addresses = this.dataSource.getRepository(LoginAddress);
    const newest = await addresses.findOne({ where: { userId, kind: 'email' }, order: { provenAtUs: 'DESC' } });
    if (newest !== null) this.messages.tellPasswordChanged(newest.value);
  }
}
