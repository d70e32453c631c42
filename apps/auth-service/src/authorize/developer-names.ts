import { Injectable } from '@nestjs/common';
import { LIMITS } from '@settle/config';
import { SettleError, getProfile } from '@settle/contracts';
import { MessageClient } from '@settle/messaging';
import { DataSource } from 'typeorm';
import { Credential } from '../tables/credential.entity.js';

/** Who registered an app, in words for the users whom it asks. */
@Injectable()
export class DeveloperNames {
  constructor(
    private readonly dataSource: DataSource,
    private readonly client: MessageClient,
  ) {}

  /** The name and the username; the username alone while users-service does not answer; null: the developer is gone. */
  async of(userId: string): Promise<string | null> {
    const credential = await this.dataSource.getRepository(Credential).findOneBy({ userId });
    if (credential === null) return null;
    const { username } = credential;
    const displayName = await this.#displayName(userId);
    return displayName === null ? username : `${displayName} (${username})`;
  }

  async #displayName(userId: string): Promise<string | null> {
    try {
      const options = { key: userId, timeoutMs: LIMITS.auth.askWaitMs };
      // As the developers see themselves: whom they blocked must know who asks all the same.
      return (await this.client.request(getProfile, { userId, viewerId: userId }, options)).displayName;
    } catch (error) {
      if (error instanceof SettleError) return null;
      throw error;
    }
  }
}
