/**
 * `npm run new-service -- receipts`: makes `apps/receipts-service`, a service that consumes payment events, with health,
 * metrics, a database and a spec, and names it where services are listed.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { generateFiles, names } from '@nx/devkit';
import { FsTree, flushChanges } from 'nx/src/generators/tree.js';
import { edits } from './edits.mjs';

/** Imports of the template; the versions are those of users-service, so that all services have the same. */
const DEPENDENCIES = [
  '@nestjs/common',
  '@nestjs/core',
  '@nestjs/microservices',
  '@settle/config',
  '@settle/contracts',
  '@settle/lifecycle',
  '@settle/messaging',
  '@settle/observability',
  '@settle/postgres',
  'pg',
  'reflect-metadata',
  'rxjs',
  'typeorm',
];
const NAME = /^[a-z][a-z0-9]{1,19}$/;

/**
 * Writes the service into a checkout and returns the changed paths. Nothing is written when it throws.
 * @param root folder of the checkout
 * @param name short name, such as `receipts`; of its database and role (`settle_receipts`), too
 * @param nowMs time of the first migration
 */
export function generateService(root, name, nowMs) {
  if (!NAME.test(name ?? '')) {
    throw new Error('Usage: npm run new-service -- <name>   2 to 20 letters and digits, such as receipts');
  }
  const project = `${name}-service`;
  if (existsSync(path.join(root, 'apps', project))) throw new Error(`apps/${project} exists already`);
  const tree = new FsTree(root, false);
  const { dependencies: versions } = JSON.parse(
    readFileSync(path.join(root, 'apps/users-service/package.json'), 'utf8'),
  );
  const ours = DEPENDENCIES.filter((one) => one.startsWith('@settle/'));
  const parts = {
    name,
    project,
    type: names(name).className,
    constant: name.toUpperCase(),
    migrationNumber: String(nowMs),
    dependencies: JSON.stringify(Object.fromEntries(DEPENDENCIES.map((one) => [one, versions[one]]))),
    references: JSON.stringify(ours.map((one) => ({ path: `../../libs/${one.split('/')[1]}/tsconfig.lib.json` }))),
  };
  generateFiles(tree, path.join(import.meta.dirname, 'files'), `apps/${project}`, parts);
  for (const [file, edit] of Object.entries(edits(parts))) tree.write(file, edit(tree.read(file, 'utf8')));
  const changes = tree.listChanges();
  flushChanges(root, changes);
  return changes.map((change) => change.path);
}
