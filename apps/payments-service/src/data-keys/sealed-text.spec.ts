import { randomBytes } from 'node:crypto';
import { isPlainText } from '@settle/contracts';
import { isSealed, openText, sealText } from './sealed-text.js';

const KEY = randomBytes(32);

describe('an encrypted text', () => {
  it.each(['Lunch', 'x', 'مرحبا 🥑\n'.repeat(40)])(
    'given the text %j, when it is encrypted and decrypted, then it is the same, and nothing of it is to be seen between',
    (text) => {
      const sealed = sealText(text, 'note', KEY);
      expect(isSealed(sealed)).toBe(true);
      expect(sealed.slice(12)).not.toContain(text.trim().slice(0, 5) + ' ');
      expect(openText(sealed, 'note', KEY)).toBe(text);
    },
  );

  it('given a text, when it is encrypted twice, then the results differ', () => {
    expect(sealText('Lunch', 'note', KEY)).not.toBe(sealText('Lunch', 'note', KEY));
  });

  it('given another key, another kind of text or a damaged one, when it is decrypted, then there is no text', () => {
    const sealed = sealText('Lunch', 'note', KEY);
    expect(openText(sealed, 'note', randomBytes(32))).toBeNull();
    expect(openText(sealed, 'address', KEY)).toBeNull();
    expect(openText(`${sealed.slice(0, -2)}AA`, 'note', KEY)).toBeNull();
    expect(openText(sealed.slice(0, 20), 'note', KEY)).toBeNull();
  });

  it('given any encrypted text, when a user could have written it, then it is refused as a note', () => {
    expect(isPlainText(sealText('Lunch', 'note', KEY))).toBe(false);
  });
});
