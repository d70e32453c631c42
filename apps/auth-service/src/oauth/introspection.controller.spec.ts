import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { readSettings } from '@settle/config';
import { SettleError } from '@settle/contracts';
import type { SecurityLog } from '@settle/observability';
import type { FastifyRequest } from 'fastify';
import type { Tokens } from '../tokens/tokens.js';
import { IntrospectionController } from './introspection.controller.js';

const [FIRST, SECOND] = ['s', 't'].map((letter) => letter.repeat(32)) as [string, string];
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'settle-introspection-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('IntrospectionController', () => {
  it('given a secret file that changes, when a token is introspected, then only the newest secret is accepted', async () => {
    const file = join(folder, 'secret');
    writeFileSync(file, FIRST);
    const check = jest
      .fn<Tokens['check']>()
      .mockRejectedValue(new SettleError('invalid_token', 'The token is invalid.'));
    const write = jest.fn();
    const controller = new IntrospectionController(
      { check } as unknown as Tokens,
      { write } as unknown as SecurityLog,
      readSettings({ INTROSPECTION_SECRET_FILE: file }),
    );
    const formFields = new Map([['token', ['x']]]);
    const introspect = (secret: string) =>
      controller.introspect({
        headers: { authorization: `Bearer ${secret}` },
        url: '/introspect',
        formFields,
      } as unknown as FastifyRequest);

    await expect(introspect(FIRST)).resolves.toEqual({ active: false });
    writeFileSync(file, SECOND);
    await expect(introspect(SECOND)).resolves.toEqual({ active: false });
    await expect(introspect(FIRST)).rejects.toMatchObject({ code: 'invalid_client' });
    expect(write.mock.calls).toEqual([['introspection_refused']]);
  });
});
