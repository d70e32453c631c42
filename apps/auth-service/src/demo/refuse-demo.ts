import { demoInProduction } from '@settle/config';
import { DEMO_APP, DEMO_USERS } from '@settle/contracts';
import { In, type DataSource } from 'typeorm';
import { App } from '../tables/app.entity.js';
import { Credential } from '../tables/credential.entity.js';

/** For production. Error: `SettingsError` when an earlier start made people or the app of the demo here. */
export async function refuseDemo(dataSource: DataSource): Promise<void> {
  const userIds = Object.values(DEMO_USERS).map(({ id }) => id);
  const hasPeople = await dataSource.getRepository(Credential).existsBy({ userId: In(userIds) });
  const { clientId } = DEMO_APP;
  if (hasPeople || (await dataSource.getRepository(App).existsBy({ clientId }))) throw demoInProduction();
}
