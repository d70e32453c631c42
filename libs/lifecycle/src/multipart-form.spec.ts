import { LIMITS } from '@settle/config';
import { SettleError } from '@settle/contracts';
import fc from 'fast-check';
import { readMultipartForm } from './multipart-form.js';

const type = 'multipart/form-data; boundary=xYzZY';
const part = (name: string, text: string, more = '') =>
  `--xYzZY\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${text}\r\n`;
const bodyOf = (...parts: string[]) => Buffer.from(`${parts.join('')}--xYzZY--\r\n`);
const refused = (code: string) => expect.objectContaining({ code }) as Error;

describe('forms in parts', () => {
  it('given what a real client encodes, when it is read, then every field is as it was sent', async () => {
    const text = fc.string({ unit: 'grapheme' }).filter((value) => !/[\0\r\n]/.test(value));
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.stringMatching(/^[a-z_]{1,20}$/), text), async (sent) => {
        const form = new FormData();
        for (const [name, value] of Object.entries(sent)) form.append(name, value);
        const encoded = new Response(form);
        const body = Buffer.from(await encoded.arrayBuffer());
        expect(await readMultipartForm(body, encoded.headers.get('content-type') ?? '')).toEqual(Object.entries(sent));
      }),
      { numRuns: 50 },
    );
  });

  it('given a short boundary, a part with a type, and one name twice, when it is read, then all fields are there', async () => {
    const typed = '\r\nContent-Type: text/plain; charset=utf-8';
    const body = bodyOf(part('note', 'ünïcode ☕', typed), part('amount', '0.10'), part('amount', ''));
    const fields = [
      ['note', 'ünïcode ☕'],
      ['amount', '0.10'],
      ['amount', ''],
    ];
    expect(await readMultipartForm(body, type)).toEqual(fields);
  });

  const many = Array.from({ length: LIMITS.gateway.parametersCount + 1 }, (_, index) => part(`p${index}`, 'x'));
  it.each<[string, Buffer, string, string]>([
    ['a file', bodyOf(part('note', 'x', '; filename="x.txt"')), type, 'unsupported_media_type'],
    [
      'a part of bytes',
      bodyOf(part('a', 'x', '\r\nContent-Type: application/octet-stream')),
      type,
      'unsupported_media_type',
    ],
    [
      'a file that is not UTF-8',
      Buffer.concat([Buffer.from(part('a', '', '; filename="x"')), Buffer.from([0xff, 0xfe]), bodyOf()]),
      type,
      'unsupported_media_type',
    ],
    ['no boundary', bodyOf(part('a', 'x')), 'multipart/form-data', 'invalid_request'],
    ['another boundary', bodyOf(part('a', 'x')), 'multipart/form-data; boundary=other', 'invalid_request'],
    ['no end', Buffer.from(part('a', 'x')), type, 'invalid_request'],
    ['half a part', Buffer.from('--xYzZY\r\nContent-Dispo'), type, 'invalid_request'],
    ['no parts at all', Buffer.from('{}'), type, 'invalid_request'],
    [
      'a part without a name',
      Buffer.from(bodyOf(part('a', 'x')).toString().replace('; name="a"', '')),
      type,
      'invalid_request',
    ],
    ['more parts than there may be', bodyOf(...many), type, 'invalid_request'],
    [
      'bytes that are not UTF-8',
      Buffer.concat([Buffer.from(part('a', 'x').slice(0, -3)), Buffer.from([0xff, 0x0d, 0x0a]), bodyOf()]),
      type,
      'invalid_request',
    ],
  ])('given %s, when it is read, then it is refused', async (_what, body, contentType, code) => {
    await expect(readMultipartForm(body, contentType)).rejects.toEqual(refused(code));
  });

  it('given a body that is cut off or changed anywhere, when it is read, then it is read or refused', async () => {
    const whole = Buffer.from(
      part('note', 'x', '\r\nContent-Type: text/plain') +
        part('photo', 'y', '; filename="y.png"') +
        bodyOf().toString(),
    );
    const at = fc.nat({ max: whole.length });
    const damage = fc.record({ at, length: fc.nat({ max: 9 }), bytes: fc.uint8Array({ maxLength: 3 }), end: at });
    await fc.assert(
      fc.asyncProperty(damage, async ({ at, length, bytes, end }) => {
        const body = Buffer.concat([whole.subarray(0, at), bytes, whole.subarray(at + length)]).subarray(0, end);
        const problem = await readMultipartForm(body, type).catch((error: unknown) => error);
        expect(Array.isArray(problem) || problem instanceof SettleError).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
