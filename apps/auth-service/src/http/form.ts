import { SettleError, isPlainLine } from '@settle/contracts';

/** Returns the value of a submitted field. Throws `invalid_request`. */
type Field<Value> = (submitted: unknown) => Value;

/** Returns the fields of a submitted form and drops all others. Throws `invalid_request`. */
export type FormReader<Form> = (body: unknown) => Form;

/** The values of a form, by the names of the HTML inputs. */
export type FormOf<Reader> = Reader extends FormReader<infer Form> ? Form : never;

type Values<Fields> = { readonly [Name in keyof Fields]: Fields[Name] extends Field<infer Value> ? Value : never };

/** Describes a form of this service: its fields, and the CSRF token that every form has. */
export function form<Fields extends Readonly<Record<string, Field<unknown>>>>(fields: Fields) {
  const readers = Object.entries({ form_token: secret, ...fields });
  return (body: unknown) => {
    const submitted = body as Readonly<Record<string, unknown>>;
    const values = readers.map(([name, read]) => [name, read(submitted[name])]);
    return Object.fromEntries(values) as Values<Fields & { form_token: Field<string> }>;
  };
}

/** A text of one line, possibly empty. */
export const text = (maxLength: number) => textField((typed) => hasAtMost(maxLength, typed) && isPlainLine(typed));

/** A text of several lines, possibly empty. */
export const textArea = (maxLength: number) =>
  textField((typed) => hasAtMost(maxLength, typed) && !typed.includes('\0'));

/** A password, which keeps every character, including leading and trailing spaces. */
export const password = textArea(1_024);

/** A secret of this service in a hidden field. */
export const secret = textField((sent) => sent.length === 43);

/** An id of this service in a hidden field. */
export const matching = (pattern: RegExp) => textField((sent) => pattern.test(sent));

export const oneOf = <Value extends string>(values: readonly Value[]) =>
  textField((sent) => values.some((value) => value === sent)) as Field<Value>;

/** Some of the values, each once. A form sends no field for none and a string for one. */
export function someOf<Value extends string>(values: readonly Value[]): Field<readonly Value[]> {
  const readOne = oneOf(values);
  return (submitted = []) => {
    const sent = [submitted].flat().map(readOne);
    return new Set(sent).size === sent.length ? sent : refuse();
  };
}

/** A checkbox, which is sent only if it is checked. */
export const checkbox: Field<boolean> = (submitted) => submitted !== undefined && oneOf(['yes'])(submitted) === 'yes';

export const optional =
  <Value>(field: Field<Value>): Field<Value | undefined> =>
  (submitted) =>
    submitted === undefined ? undefined : field(submitted);

/** A form that has only a button. */
export const ButtonForm = form({});

/** A form that has only a button, and may be sent again with the password, see `ReauthenticationGuard`. */
export const ReauthenticatedForm = form({ current_password: optional(password) });

function textField(accepts: (submitted: string) => boolean): Field<string> {
  return (submitted) => (typeof submitted === 'string' && accepts(submitted) ? submitted : refuse());
}

function hasAtMost(maxLength: number, typed: string): boolean {
  return [...typed].length <= maxLength;
}

function refuse(): never {
  throw new SettleError('invalid_request', 'A field of the form is missing, repeated, too long or not text.');
}
