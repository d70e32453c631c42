import { KeptContents } from './kept-contents.js';

describe('contents that are kept', () => {
  it('given a content that was read, when it is asked for again, then it is the same buffer', async () => {
    const contents = new KeptContents();
    const first = await contents.of('a', () => Promise.resolve(Buffer.from('a')));
    expect(await contents.of('a', () => Promise.reject(new Error('not read again')))).toBe(first);
  });

  it('given a content that could not be read, when it is asked for again, then it is read again', async () => {
    const contents = new KeptContents();
    await expect(contents.of('a', () => Promise.reject(new Error('no file is free')))).rejects.toThrow(
      'no file is free',
    );
    expect(String(await contents.of('a', () => Promise.resolve(Buffer.from('a'))))).toBe('a');
  });
});
