import { type TestUser, loadDemoUser } from './users.js';
import { cents } from './wire.js';
import {
  encodeAsJson,
  expectRefused,
  expectAccepted,
  encodeAsText,
  type EncodedPayment,
} from './encoded-payments.fixture.js';

describe('valid amounts, as form, JSON and query', () => {
  let alice: TestUser;
  let bob: TestUser;

  beforeAll(async () => {
    [alice, bob] = await Promise.all([loadDemoUser('alice'), loadDemoUser('bob')]);
  });

  // Shows parameter-18, payment-9
  it.each([
    ['0.01', '0.01'],
    ['1', '1'],
    ['1.5', '1.5'],
    ['1.50', '1.5'],
    // Shows parameter-17
    ['0.100000', '0.1'],
    ['-0.01', '-0.01'],
    ['-10.10', '-10.1'],
    // Shows parameter-21
    ['2999.99', '2999.99'],
    // Shows parameter-21
    ['-2999.99', '-2999.99'],
  ])('given the amount %s, when it is sent, then the response contains %s', async (text, printed) => {
    const requests: EncodedPayment[] = [...encodeAsText('amount', text), ['JSON number', encodeAsJson('amount', text)]];
    await expectAccepted(alice, requests, (payment, response) => {
      expect(payment.amount).toBe(Number(printed));
      expect(response.text).toMatch(new RegExp(`"amount":${printed.replace('.', '\\.')}[,}]`));
    });
  });

  // Shows parameter-26
  it('given the amounts 0.1 and 0.2, when they are paid, then the balance moves by exactly 0.30', async () => {
    const before = await alice.balanceCents();
    const responses = [await alice.send({ user_id: bob.id }, '0.1'), await alice.send({ user_id: bob.id }, '0.2')];
    expect(responses.map(({ body }) => cents(body.data.balance))).toEqual([before - 10, before - 30]);
    expect(responses[1]?.text).toMatch(/"balance":\d+(\.\d{1,2})?[,}]/);
  });

  // Shows parameter-17, parameter-19, parameter-20, parameter-23, parameter-26
  const numbers = ['0', '-0', '0.00', '-0.00', '0.30000000000000004', '0.001', '1.005', '0.999', '1e2', '1E-2'];
  // Shows parameter-21, parameter-23
  const large = ['1e21', '1e400', '3000', '-3000.00', '9007199254740993', '9'.repeat(40), `0.${'0'.repeat(40)}1`];
  // Shows error-6
  it.each([...numbers, ...large])('given the number %s, when it is sent, then it is rejected', async (text) => {
    const requests: EncodedPayment[] = [...encodeAsText('amount', text), ['JSON number', encodeAsJson('amount', text)]];
    await expectRefused(alice, requests, 'invalid_amount', 'amount');
  });

  // Shows parameter-24
  const words = ['NaN', 'Infinity', '-Infinity', 'null', 'true', 'abc', ' ', '-', '.', '--1', '1-', '-.5'];
  const spellings = [
    // Shows parameter-24
    '.5',
    // Shows parameter-24
    '1.',
    // Shows parameter-24
    '01',
    '-01',
    // Shows parameter-24
    '+1',
    // Shows parameter-25
    ' 1',
    '1 ',
    '1\n',
    // Shows parameter-24
    '0x10',
    '0b1',
    '0o7',
    '1_000',
    // Shows parameter-24
    '1,00',
    '1.000,00',
  ];
  // Shows parameter-25, parameter-29
  const alphabets = ['$1', '1€', '１', '٠.١', '\u22121', '1\u00a0', '½', '9'.repeat(60_000)];
  it.each([...words, ...spellings, ...alphabets])('given the text %p, when it is sent, then it is rejected', (text) =>
    expectRefused(alice, encodeAsText('amount', text), 'invalid_amount', 'amount'),
  );

  // Shows parameter-27
  it.each(['true', 'false', '[1]', '[]', '{"x":1}', '{}', '["1"]'])(
    'given the JSON %s, when it is sent, then it is rejected',
    (source) => expectRefused(alice, [['JSON', encodeAsJson('amount', source)]], 'invalid_amount', 'amount'),
  );

  it.each(['.5', '1.', '01', '+1', '0x10', 'NaN', '1_000', '--1', '１', "'1'", '1 2'])(
    'given %s where JSON has a number, when it is sent, then the body is not valid JSON',
    (source) => expectRefused(alice, [['JSON', encodeAsJson('amount', source)]], 'invalid_request', 'JSON'),
  );

  // Shows request-22, request-23
  it('given no amount, when the payment is sent, then the parameter is missing', async () => {
    await expectRefused(
      alice,
      [...encodeAsText('amount', ''), ['null', encodeAsJson('amount', 'null')]],
      'missing_parameter',
      'amount',
    );
  });

  // Shows parameter-28
  it.each(['amount=1&amount=2', 'amount=1&amount=1', 'amount=1&%61mount=1'])(
    'given %s, when it is sent, then the request cannot be read',
    async (twice) => {
      const form = { type: 'application/x-www-form-urlencoded', text: `email=a%40example.com&note=n&${twice}` };
      await expectRefused(alice, [['form', { raw: form }]], 'invalid_request', 'amount');
      const json = { type: 'application/json', text: '{"email":"a@example.com","note":"n","amount":1,"amount":2}' };
      await expectRefused(alice, [['JSON', { raw: json }]], 'invalid_request', 'amount');
    },
  );
});
