import { DEMO_APP, DEMO_PASSWORD, DEMO_USERS } from '@settle/contracts';
import { In, type DataSource } from 'typeorm';
import { sha256 } from '../secrets.js';
import { Passwords } from '../sign-in/passwords.js';
import { App } from '../tables/app.entity.js';
import { Credential } from '../tables/credential.entity.js';

/**
 * Takes away what an earlier start made whose secrets everybody knows, with its tokens and sessions: a folder that was
 * tried out may become one in earnest. A start with the demo makes it again.
 */
export async function removeDemo(dataSource: DataSource): Promise<void> {
  const { clientId, clientSecret } = DEMO_APP;
  await dataSource.getRepository(App).delete({ clientId, secretSha256: sha256(clientSecret) });
  const credentials = dataSource.getRepository(Credential);
  const ids = Object.values(DEMO_USERS).map(({ id }) => id);
  const passwords = new Passwords();
  for (const { userId, passwordHash } of await credentials.findBy({ userId: In(ids) })) {
    if (await passwords.verify(passwordHash, DEMO_PASSWORD)) await credentials.delete({ userId });
  }
}
