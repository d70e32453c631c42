import { runOperatorCommand } from './operator.fixture.js';
import { signUp } from './sign-up.js';
import { loadDemoUser } from './users.js';

describe('what operators find', () => {
  it('given a payment, when operators search, then its users and its timeline are shown', async () => {
    const [payer, payee] = [await loadDemoUser('alice'), await loadDemoUser('bob')];
    const sent = await payer.send({ user_id: payee.id }, '1.30');
    const paymentId = sent.body.data.payment.id;

    for (const subject of [payer.email, payer.phone, payer.id]) {
      const { code, output } = await runOperatorCommand('find', subject);
      expect([code, output.includes(`(${payer.id})`)]).toEqual([0, true]);
    }
    const found = await runOperatorCommand('find', paymentId);
    expect(found).toMatchObject({ code: 0, complaint: '' });
    expect(found.output).toContain(`payment ${paymentId}, settled: created`);
    expect(found.output).toContain(`(${payee.id})`);

    const { code, output } = await runOperatorCommand('timeline', paymentId);
    expect([code, output]).toEqual([0, expect.stringMatching(/ pays .* \$1\.30.*debited.*settled.*\$1\.30 credited/s)]);
  });

  it('given changes of an operator, when the audit is listed, then those of every service are in it, with the reason', async () => {
    const { id, username } = await signUp();
    await runOperatorCommand('end-sessions', username, '--operator=jo', '--reason', 'asked by phone');
    await runOperatorCommand('user', username, '--no-frozen', '--operator=jo');
    const audit = await runOperatorCommand('audit', '--user', id);
    expect(audit).toMatchObject({ code: 0, complaint: '' });
    expect(audit.output.split('\n').map((line) => line.slice('2026-03-01T00:00:00.000Z  '.length))).toEqual([
      `jo  user user ${id} frozen-for-reading=false  done  no reason given`,
      `jo  user user ${id} frozen=false  done  no reason given`,
      `jo  end-sessions user ${id}  done  reason: asked by phone`,
      '',
    ]);
  });

  it('given nothing that fits, when operators search, then the exit code is 1 and one line says so', async () => {
    expect(await runOperatorCommand('find', 'unknown@example.com')).toEqual({
      code: 1,
      output: '',
      complaint: 'There is no user "unknown@example.com"\n',
    });
    expect(await runOperatorCommand('timeline', '999999999999999999')).toEqual({
      code: 1,
      output: '',
      complaint: 'There is no payment 999999999999999999\n',
    });
  });
});
