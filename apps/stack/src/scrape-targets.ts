import { rename, writeFile } from 'node:fs/promises';
import type { StackStatus } from './stack.js';

/** The health ports of the instances, as `file_sd_configs` of Prometheus reads them. */
export function scrapeTargets({ instances }: Pick<StackStatus, 'instances'>): string {
  const groups = instances.map(({ name, healthPort }) => ({
    targets: [`127.0.0.1:${healthPort}`],
    labels: { process: name },
  }));
  return `${JSON.stringify(groups, null, 2)}\n`;
}

/** Replaces the file at once: Prometheus reads it whenever it changes. */
export async function writeTargets(file: string, targets: string): Promise<void> {
  const next = `${file}.${process.pid}.next`;
  await writeFile(next, targets);
  await rename(next, file);
}
