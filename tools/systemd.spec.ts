import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { DATABASE_SERVICES, SERVICE_NAMES } from '@settle/contracts';

const root = path.dirname(import.meta.dirname);
const folder = path.join(root, 'deploy/systemd');
const units = readdirSync(folder);

/** A line of a unit file: `Key=value` in a section. */
interface Entry {
  readonly section: string;
  readonly key: string;
  readonly value: string;
}

function entriesOf(unit: string): Entry[] {
  let section = '';
  return readFileSync(path.join(folder, unit), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .flatMap((line) => {
      section = /^\[(\w+)\]$/.exec(line)?.[1] ?? section;
      if (line.startsWith('[')) return [];
      const [, key = '', value = ''] = /^([A-Za-z]+)=(.*)$/.exec(line) ?? [];
      return [{ section, key, value }];
    });
}

const valuesOf = (unit: string, key: string) =>
  entriesOf(unit).flatMap((entry) => (entry.key === key ? entry.value : []));

describe('the units of systemd', () => {
  it('given each unit, when it is parsed, then it has known sections and nothing but keys with values', () => {
    for (const unit of units) {
      const entries = entriesOf(unit);
      expect(
        entries.filter(({ key, value }) => key === '' || (value === '' && key !== 'CapabilityBoundingSet')),
      ).toEqual([]);
      expect(new Set(entries.map(({ section }) => section))).toEqual(
        new Set(['Unit', 'Service', 'Install'].filter((section) => entries.some((entry) => entry.section === section))),
      );
    }
  });

  it('given each unit with a program, when its rights are read, then it has a user of its own and no capability, and may write only its state', () => {
    for (const unit of units.filter((name) => name.endsWith('.service'))) {
      const keys = { User: 'settle', NoNewPrivileges: 'true', CapabilityBoundingSet: '', ProtectSystem: 'strict' };
      for (const [key, value] of Object.entries(keys))
        expect([unit, key, valuesOf(unit, key)]).toEqual([unit, key, [value]]);
    }
    expect(valuesOf('settle.service', 'StateDirectory')).toEqual(['settle']);
    expect(valuesOf('settle.service', 'Environment')).toEqual([expect.stringContaining('DATA_DIR=/var/lib/settle')]);
  });

  it('given each service, when its unit starts, then the program is there, and one that ends is started again', () => {
    const programsOf = (unit: string, services: readonly string[]) => {
      const [command = ''] = valuesOf(unit, 'ExecStart');
      return services.map((service) => (command.split(' ').at(-1) ?? '').replace('%i', service));
    };
    const programs = [
      ...programsOf('settle@.service', SERVICE_NAMES),
      ...programsOf('settle-migrations@.service', DATABASE_SERVICES),
      ...programsOf('settle.service', ['']),
    ].map((program) => program.replace('/dist/', '/src/').replace(/\.js$/, '.ts'));
    expect(programs.filter((program) => !existsSync(path.join(root, program)))).toEqual([]);
    for (const unit of ['settle@.service', 'settle.service']) {
      expect([valuesOf(unit, 'Restart'), valuesOf(unit, 'StartLimitIntervalSec')]).toEqual([['always'], ['0']]);
      expect(valuesOf(unit, 'Environment')[0]).toContain('NODE_ENV=production');
    }
  });
});
