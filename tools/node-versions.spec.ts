import { readFileSync } from 'node:fs';
import path from 'node:path';
import { OLDEST_NODES, RUNTIME, packagesRefusing } from './node-versions.mjs';

const root = path.dirname(import.meta.dirname);
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const majorOf = (version: string): string => version.split('.')[0] ?? '';

describe('the supported versions of Node', () => {
  it.each<string>([...OLDEST_NODES, RUNTIME])(
    'given Node %s, when the engines of every package are read, then they accept that version',
    (version) => {
      expect(packagesRefusing(version)).toEqual([]);
    },
  );

  it.each(['CONTRIBUTING.md', 'docs/operations.md', 'tools/runtime.mjs'])(
    'given %s, when it names the required Node, then it names the oldest of each range',
    (file) => {
      const versions = OLDEST_NODES.map((version: string) => version.replace(/\.0$/, ''));
      expect(read(file).replaceAll(/\s+/g, ' ')).toContain(`Node ${versions.join(', ')} or newer`);
    },
  );

  it('given the CI file, when it names versions, then each range is tested, and the version of the packages', () => {
    const [, list = ''] = /node: \[(.*)\]/.exec(read('.github/workflows/ci.yml')) ?? [];
    const tested = list.split(',').map((text) => majorOf(text.trim().replaceAll("'", '')));
    expect(tested).toEqual([...OLDEST_NODES, RUNTIME].map(majorOf));
  });

  it('given the image, when it is built, then it has the Node of the packages', () => {
    const tags = [...read('docker/Dockerfile').matchAll(/^FROM node:([\d.]+)-/gm)].map(([, tag]) => tag);
    expect(new Set(tags)).toEqual(new Set([RUNTIME]));
  });
});
