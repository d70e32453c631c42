import { formsOf } from './html-form.js';

describe('formsOf', () => {
  it('given a sign-in page, when it is read, then hidden fields and the password are seen, entities resolved', () => {
    const [form] = formsOf(`<form method="post" action="/v1/sign-in?next=%2Fa&amp;b=&#39;c&#x2F;">
      <input type="hidden" name="csrf" value="a&quot;b"><input name='username'>
      <input type=password name="password"/><button type="submit">Sign in</button></form>`);
    expect(form?.action).toBe(`/v1/sign-in?next=%2Fa&b='c/`);
    expect(form?.fields).toEqual([['csrf', 'a"b']]);
    expect(form?.asksPassword).toBe(true);
  });

  it('given boxes to tick, when they are read, then those with a tick are sent', () => {
    const [form] = formsOf(`<form><input type="checkbox" name="scopes" value="a" checked>
      <input type="checkbox" name="scopes" value="b"><input type="checkbox" name="scopes" value="c" checked></form>`);
    expect(form?.fields).toEqual([
      ['scopes', 'a'],
      ['scopes', 'c'],
    ]);
  });

  it('given a consent page with two buttons, when it is read, then each says what it sends', () => {
    const [form] = formsOf(`<form><button name="decision" value="allow" class="x"><b>Allow</b></button>
      <button name="decision" value="deny">Deny</button></form>`);
    expect(form?.action).toBeNull();
    expect(form?.buttons.get('Allow')).toEqual({ name: 'decision', value: 'allow' });
    expect(form?.buttons.get('Deny')).toEqual({ name: 'decision', value: 'deny' });
  });
});
