import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { compileValidators } from '../src/index.js';

export const alice = '1852942301724180481';
export const bob = '1852942305918484482';
export const commandId = '5f4a2c1e-7a55-4a9c-9a43-0d6c4f7f0001';
export const MAX = Number.MAX_SAFE_INTEGER;

export const BAD_IDS = [
  '',
  '7',
  '9223372036854775808',
  `${alice}0`,
  Number(alice),
  null,
  undefined,
  [alice],
  'x'.repeat(18),
];
export const BAD_UUIDS = ['', 'x', `${commandId}0`, 5, null, undefined];
export const BAD_INTEGERS = [1.5, '1', NaN, Infinity, null, undefined];
/** Invalid texts of one line: controls, and half a character. */
export const BAD_LINES = ['a\0b', 'a\nb', 'a\tb', '\u007f', '\u0085', '\ud83c'];
/** They make what follows read in the other direction. */
export const TURNED_TEXTS = [...'\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069'].map((mark) => `a${mark}b`);
/** Invalid characters of a text that may contain line feeds. */
export const BAD_TEXTS = [...BAD_LINES.filter((text) => !text.includes('\n')), ...TURNED_TEXTS];
export const BAD_APPS = ['', 'x'.repeat(65), 5, null, undefined, ...BAD_LINES];
export const BAD_CHOICES = ['', 'x', 5, null, undefined, ['live'], ['pay']];
export const BAD_AMOUNTS = [...BAD_INTEGERS, 0, -1, MAX + 1];
export const BAD_LIMITS = [...BAD_INTEGERS, 0, 51];
export const BAD_OPTIONAL_IDS = BAD_IDS.filter((value) => value !== null && value !== undefined);
export const BAD_FLAGS = ['true', 1, 0, null, undefined];
export const BAD_OPTIONAL_INTEGERS = [1.5, '1', true, []];

export const idempotency = { key: 'order-7', requestHash: '0f'.repeat(32) };
export const BAD_IDEMPOTENCIES = [
  5,
  'order-7',
  [],
  {},
  { key: 'order-7' },
  { requestHash: idempotency.requestHash },
  ...['', 'a b', 'k'.repeat(256), 'ü', 'a\n', 5, null].map((key) => ({ ...idempotency, key })),
  ...['', 'F'.repeat(64), 'a'.repeat(63), 5, null].map((requestHash) => ({ ...idempotency, requestHash })),
];

export interface Case {
  readonly dto: new () => object;
  readonly good: object;
  /** Further payloads that pass, given as what differs. */
  readonly alsoGood?: readonly object[];
  readonly bad: Readonly<Record<string, readonly unknown[]>>;
}

/** The names of the properties that are refused. */
function refused(dto: Case['dto'], payload: object): string[] {
  const asReceived = JSON.parse(JSON.stringify(payload)) as object;
  const errors = validateSync(plainToInstance(dto, asReceived), { forbidUnknownValues: true });
  expect(compileValidators(dto)(asReceived)).toBe(errors.length === 0);
  return errors.map((error) => error.property);
}

/** Judges each message as its receiver does. */
export function describeMessages(cases: readonly Case[]): void {
  describe.each(cases.map((row) => ({ ...row, name: row.dto.name })))(
    'message $name',
    ({ dto, good, alsoGood, bad }) => {
      it('given good examples, when judged, then each passes', () => {
        for (const change of [{}, ...(alsoGood ?? [])]) expect(refused(dto, { ...good, ...change })).toEqual([]);
      });

      it('given a property beside those of the contract, when judged, then it is passed over', () => {
        expect(refused(dto, { ...good, added: 'later' })).toEqual([]);
      });

      it('given an example, when its properties are listed, then the table has bad values for each', () => {
        expect(Object.keys(bad).toSorted()).toEqual(Object.keys(good).toSorted());
      });

      it.each(Object.keys(bad))('given bad values of %s, when judged, then it alone is refused', (property) => {
        for (const value of bad[property] ?? []) {
          expect({ value, refused: refused(dto, { ...good, [property]: value }) }).toEqual({
            value,
            refused: [property],
          });
        }
      });
    },
  );
}
