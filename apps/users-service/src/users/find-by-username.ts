import { normalizeUsername } from '@settle/contracts';
import { Raw, type EntityManager } from 'typeorm';
import { User } from '../storage/user.entity.js';

/** Returns the user with this username in any case, or null. */
export function findByUsername(manager: EntityManager, username: string): Promise<User | null> {
  const normalized = { username: normalizeUsername(username) };
  return manager.findOneBy(User, { username: Raw((column) => `lower(${column}) = :username`, normalized) });
}
