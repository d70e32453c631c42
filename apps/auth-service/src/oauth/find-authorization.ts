import type { DataSource } from 'typeorm';
import { sha256 } from '../secrets/secrets.js';
import type { AuthorizationCode } from '../tables/authorization-code.entity.js';
import { Authorization } from '../tables/authorization.entity.js';
import type { RefreshToken } from '../tables/refresh-token.entity.js';
import type { Token } from '../tables/token.entity.js';

/** Returns the authorization under which a code or token was issued, valid or not; null if the secret is unknown. */
export function findAuthorization(
  dataSource: DataSource,
  issued: typeof AuthorizationCode | typeof RefreshToken | typeof Token,
  secret: string,
): Promise<Authorization | null> {
  return dataSource
    .getRepository(Authorization)
    .createQueryBuilder('authorization')
    .innerJoin(issued, 'issued', 'issued.authorization_id = authorization.id')
    .where('issued.sha256 = :sha256', { sha256: sha256(secret) })
    .getOne();
}
