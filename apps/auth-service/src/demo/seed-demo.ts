import type { Settings } from '@settle/config';
import { DEMO_APP, DEMO_PASSWORD, DEMO_USERS, idTimeMs, normalizeEmail } from '@settle/contracts';
import type { DataSource } from 'typeorm';
import { sha256 } from '../secrets/secrets.js';
import { Passwords } from '../sign-in/passwords.js';
import { App } from '../tables/app.entity.js';
import { Credential } from '../tables/credential.entity.js';
import { LoginAddress } from '../tables/login-address.entity.js';

/** Creates the demo users and the demo app if they are missing. Their passwords are public: never use it in production. */
export async function seedDemo(dataSource: DataSource, settings: Settings): Promise<void> {
  await seedUsers(dataSource);
  await seedApp(dataSource, settings);
}

async function seedUsers(dataSource: DataSource): Promise<void> {
  const credentials = dataSource.getRepository(Credential);
  const passwords = new Passwords(Infinity);
  for (const { id, username, email, phone } of Object.values(DEMO_USERS)) {
    // Skips existing users, because hashing is slow by design.
    if (await credentials.existsBy({ userId: id })) continue;
    const passwordHash = await passwords.hash(DEMO_PASSWORD);
    await credentials.createQueryBuilder().insert().values({ userId: id, username, passwordHash }).orIgnore().execute();
    const provenAtUs = String(idTimeMs(id) * 1_000);
    await dataSource
      .createQueryBuilder()
      .insert()
      .into(LoginAddress)
      .values([
        { kind: 'email', value: normalizeEmail(email), spelling: email, userId: id, provenAtUs },
        { kind: 'phone', value: phone, spelling: phone, userId: id, provenAtUs },
      ])
      .orIgnore()
      .execute();
  }
}

/** Updates the app at every start, because `PUBLIC_URL` may have changed. */
async function seedApp(dataSource: DataSource, settings: Settings): Promise<void> {
  await dataSource.getRepository(App).upsert(
    {
      clientId: DEMO_APP.clientId,
      secretSha256: sha256(DEMO_APP.clientSecret),
      name: DEMO_APP.name,
      description: DEMO_APP.description,
      siteUrl: settings.publicUrl,
      redirectUrls: [settings.publicUrl + DEMO_APP.redirectPath],
      ownerId: DEMO_USERS.alice.id,
      deletedAt: null,
    },
    ['clientId'],
  );
}
