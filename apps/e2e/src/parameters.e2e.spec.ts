import { type CallOptions, call } from './client.js';
import { type TestUser, loadDemoUser } from './users.js';
import {
  encodeAsJson,
  expectRefused,
  expectAccepted,
  encodeAsText,
  type EncodedPayment,
} from './encoded-payments.fixture.js';

describe('valid parameters, as form, JSON and query', () => {
  let alice: TestUser;
  let bob: TestUser;

  beforeAll(async () => {
    [alice, bob] = await Promise.all([loadDemoUser('alice'), loadDemoUser('bob')]);
  });

  describe('note', () => {
    const kept = [
      'x',
      '0',
      'null',
      'x'.repeat(280),
      // Shows parameter-30
      '😀'.repeat(280),
      'e\u0301',
      '\u200fabc',
      // Shows parameter-31
      '<b>&amp;</b>',
      '"\\',
      '%41+',
    ];
    // Shows payment-10
    it.each([
      ...kept.map((note): [string, string] => [note, note]),
      // Shows parameter-31
      ['  hi  ', 'hi'],
      ['\n hi \r\n', 'hi'],
      // Shows parameter-32
      ['a\r\nb\nc', 'a\nb\nc'],
      [` ${'x'.repeat(280)} `, 'x'.repeat(280)],
    ])('given %p, when it is sent, then it is stored trimmed', async (note, printed) => {
      await expectAccepted(alice, encodeAsText('note', note), (payment) => expect(payment.note).toBe(printed));
    });

    /** Characters that reverse the direction of the text after them. */
    // Shows parameter-34
    const turning = ['\u202a', '\u202e', '\u2066', '\u2069'];
    // Shows parameter-33
    const controls = ['\u0001', '\t', '\r', '\u000b', '\u001b', '\u007f', '\u0085', '\u009f'];
    it.each([
      ...[...controls, ...turning].map((control) => `a${control}b`),
      // Shows parameter-30
      '   ',
      '\n',
      'x'.repeat(281),
      // Shows parameter-30
      '😀'.repeat(281),
    ])('given %p, when it is sent, then it is rejected', (note) =>
      expectRefused(alice, encodeAsText('note', note), 'invalid_note', 'note'),
    );

    it.each(['7', 'true', '[]', '["x"]', '{}', '"\\ud800"', '"a\\udc00b"'])(
      'given the JSON %s, when it is sent, then it is rejected',
      (source) => expectRefused(alice, [['JSON', encodeAsJson('note', source)]], 'invalid_note', 'note'),
    );

    it('given a NUL, when it is sent, then the request cannot be read', () =>
      expectRefused(alice, encodeAsText('note', 'a\0b'), 'invalid_request', 'note'));
  });

  describe('phone', () => {
    const spellings = [
      '4155550177',
      '14155550177',
      '+14155550177',
      // Shows parameter-6
      '+1 (415) 555-0177',
      '415.555.0177',
      '415 555 0177',
    ];
    // Shows parameter-6, parameter-12
    it.each([...spellings, '1-415-555-0177', ' 4155550177 ', '(415)555-0177', '415\u2013555\u20130177'])(
      'given %p, when it is sent, then it is read as one number',
      async (phone) => {
        await expectAccepted(alice, encodeAsText('phone', phone), ({ target }) =>
          expect(target).toEqual({ type: 'phone', phone: '+14155550177', email: null, user: null }),
        );
      },
    );

    // Shows parameter-7
    it('given a JSON number, when it is sent, then its digits are the number', async () => {
      const requests: EncodedPayment[] = [['JSON', encodeAsJson('phone', '4155550177')]];
      await expectAccepted(alice, requests, ({ target }) => expect(target.phone).toBe('+14155550177'));
    });

    // Shows parameter-11
    it('given area code 555, when it is sent, then it is accepted', async () => {
      await expectAccepted(alice, encodeAsText('phone', '15555555556'), ({ target }) =>
        expect(target.phone).toBe('+15555555556'),
      );
    });

    // Shows parameter-13
    it('given a verified number in any spelling, when it is sent, then it names its user', async () => {
      await expectAccepted(alice, encodeAsText('phone', '(415) 555-0102'), ({ target }) =>
        expect([target.type, target.phone, target.user?.id]).toEqual(['phone', null, bob.id]),
      );
    });

    // Shows parameter-10
    const short = ['1', '911', '415555', '415555017', '41555501777', '+4155550177', '+1415555017'];
    // Shows parameter-9, parameter-10
    const elsewhere = ['+442071838750', '+14165550123', '4165550123', '8765550123', '2425550123', '+491701234567'];
    // Shows parameter-8
    const impossible = ['1155550177', '0155550177', '4150550177', '4151550177', '24155550177'];
    const texts = [
      'abc',
      // Shows parameter-10
      '415-555-CALL',
      '4155550177x5',
      'tel:+14155550177',
      '++14155550177',
      '４１５５５５０１７７',
      '٤١٥٥٥٥٠١٧٧',
    ];
    it.each([...short, ...elsewhere, ...impossible, ...texts, '4'.repeat(1_000)])(
      'given %p, when it is sent, then it is rejected',
      (phone) => expectRefused(alice, encodeAsText('phone', phone), 'invalid_phone', 'phone'),
    );

    it.each(['true', '[]', '{}', '4155550177.0', '4.155550177e9'])(
      'given the JSON %s, when it is sent, then it is rejected',
      (source) => expectRefused(alice, [['JSON', encodeAsJson('phone', source)]], 'invalid_phone', 'phone'),
    );
  });

  describe('email', () => {
    // Shows parameter-14, payment-25
    it.each(['bob@example.com', ' Bob@Example.COM '])(
      'given %p, an address of a user, when it is sent, then it names that user',
      async (email) => {
        await expectAccepted(alice, encodeAsText('email', email), ({ target }) =>
          expect([target.type, target.email, target.user?.id]).toEqual(['email', null, bob.id]),
        );
      },
    );

    // Shows parameter-15
    it('given an unused address, when it is sent, then the response contains it unchanged', async () => {
      const email = `First.Last+tag.${Date.now()}@Sub.Example.co.uk`;
      await expectAccepted(alice, encodeAsText('email', email), ({ target }) => expect(target.email).toBe(email));
    });

    const torn = ['a', 'a@', '@b.co', 'a@b', 'a@@b.co', 'a b@c.de', 'a@b..co', '.a@b.co', 'a.@b.co', 'a,b@c.de'];
    const odd = ['a@-b.co', 'a@b.c_o', 'a@b.1', '<a@b.co>', '"a b"@c.de', 'a\n@b.co', 'a@[127.0.0.1]'];
    // Shows parameter-16
    it.each([...torn, ...odd, `${'a'.repeat(65)}@b.co`, `a@${'b.'.repeat(130)}co`])(
      'given %p, when it is sent, then it is rejected',
      (email) => expectRefused(alice, encodeAsText('email', email), 'invalid_email', 'email'),
    );
  });

  describe('before and after', () => {
    const listWith = (query: CallOptions['query']) =>
      call('/payments', { token: alice.token, query: { limit: 1, ...query } });
    // Shows parameter-50
    const dates = ['2026-01-31', '0001-01-01', '9999-12-31', '2024-02-29'];
    // Shows parameter-47
    const times = ['T10:00', 'T10:00:00', 'T10:00:00Z', 'T10:00:00.1', 'T10:00:00.123456Z', 'T23:59:59.999999999Z'];
    // Shows parameter-48
    const offsets = ['T10:00:00+00:00', 'T10:00:00 00:00', 'T10:00:00-23:59'];

    it.each([...dates, ...[...times, ...offsets].map((time) => `2026-01-31${time}`)])(
      'given %s, when a list is requested, then it is returned',
      async (date) => {
        for (const name of ['before', 'after'])
          expect([name, (await listWith({ [name]: date })).status]).toEqual([name, 200]);
      },
    );

    // Shows parameter-49
    it('given a date without an offset, when a list is requested, then it is read as UTC', async () => {
      const { body } = await alice.send({ user_id: bob.id }, '0.01');
      const { id, date_created: created } = body.data.payment;
      const local = created.replace('Z', '');
      const one = async (query: CallOptions['query']) => (await alice.list({ limit: 1, ...query })).body.data[0]?.id;
      expect([await one({ after: local }), await one({ before: local })]).not.toContain(id);
      const hourLater = created.replace('Z', '+01:00');
      expect(await one({ after: hourLater })).toBe(id);
    });

    const noDates = [
      ' ',
      // Shows parameter-52
      'yesterday',
      'now',
      // Shows parameter-52
      '20260131',
      // Shows parameter-52
      '1769817600',
      '-1',
      '2026',
      '2026-01',
      '2026-1-31',
      '31.01.2026',
    ];
    // Shows parameter-52
    const noDays = ['2026-13-01', '2026-00-01', '2026-02-30', '2026-02-29', '2026-04-31', '2026-01-00', '0000-01-01'];
    const noTimes = ['T', 'T10', 'T24:00:00', 'T10:60:00', 'T10:00:60', 'T10:00:00.', 'T10:00:00z', 'T10:00:00ZZ'];
    const noOffsets = [
      'T10:00:00+0000',
      'T10:00:00+24:00',
      'T10:00:00+1:00',
      ' 10:00:00',
      't10:00:00',
      'T10:00:00.1234567891',
    ];
    const odd = ['２026-01-31', '2026-01-31\n', '+2026-01-31', '2026-W05-6', '2026-031', '2026\u221201\u221231'];
    it.each([...noDates, ...noDays, ...[...noTimes, ...noOffsets].map((time) => `2026-01-31${time}`), ...odd])(
      'given %p, when a list is requested, then it is rejected',
      async (date) => {
        for (const name of ['before', 'after']) {
          const { status, body } = await listWith({ [name]: date });
          expect([name, status, body.error?.code]).toEqual([name, 400, 'invalid_date']);
          expect(body.error.message).toContain(name);
        }
      },
    );
  });
});
