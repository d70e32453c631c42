import { Injectable } from '@nestjs/common';
import { LIMITS } from '@settle/config';
import { SettleError, getProfile } from '@settle/contracts';
import { MessageClient } from '@settle/messaging';
import { DataSource } from 'typeorm';
import { Credential } from '../tables/credential.entity.js';

/** The names of developers, as the consent page shows them. */
@Injectable()
export class DeveloperNames {
  constructor(
    private readonly dataSource: DataSource,
    private readonly client: MessageClient,
  ) {}

  /**
   * Returns the display name and the username of a developer, only the username while users-service does not respond, or
   * null if the developer no longer exists.
   */
  async find(userId: string): Promise<string | null> {
    const credential = await this.dataSource.getRepository(Credential).findOneBy({ userId });
    if (credential === null) return null;
    const { username } = credential;
    const displayName = await this.#loadDisplayName(userId);
    return displayName === null ? username : `${displayName} (${username})`;
  }

  async #loadDisplayName(userId: string): Promise<string | null> {
    try {
      const options = { key: userId, timeoutMs: LIMITS.auth.askWaitMs };
      // The developer is the viewer, so that users whom the developer blocked see the name, too.
      return (await this.client.request(getProfile, { userId, viewerId: userId }, options)).displayName;
    } catch (error) {
      if (error instanceof SettleError) return null;
      throw error;
    }
  }
}
