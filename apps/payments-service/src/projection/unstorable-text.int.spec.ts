import { LedgerLab } from '../../test/ledger-lab/ledger-lab.fixture.js';
import { rebuildParts } from '../../test/ledger-lab/rebuild-parts.fixture.js';
import { person } from '../../test/ledger-lab/people.fixture.js';
import { rebuildReadModels } from '../operators/rebuild.js';
import { READ_MODEL_NAMES, tablesOf } from '../read-models/registry.js';

const NOTE = 'a note of this payment';

describe('an event with a text that no table can hold', () => {
  let lab: LedgerLab;

  beforeEach(async () => {
    lab = await LedgerLab.open();
  });
  afterEach(async () => {
    await lab.expectInOrder();
    await lab.close();
  });

  it('given U+0000 in a stored note, when it is projected and rebuilt, then the read models go on, show U+FFFD and count it', async () => {
    const [payer, payee] = [person(), person()];
    const writing = await lab.instance();
    await lab.know(payer, payee);
    await writing.fund(payer, 1_000);
    await writing.ledger.projector.stop();
    const { payment } = await writing.create(payer, payee, { note: NOTE });
    await lab.pool.query(
      `update events set data = replace(data, $1, 'a\\u0000b\\ud800') where data like '%' || $1 || '%'`,
      [NOTE],
    );
    const showing = await lab.instance();
    await lab.know(payer, payee);
    await showing.fund(payer, 1_000);
    expect((await showing.view(payee, payment.id)).note).toBe('a\uFFFDb\uFFFD');
    expect(await showing.balance(payer)).toBe(1_900);
    expect(showing.ledger.projector.progress().replacedTexts).toBe(1);
    const order = { models: READ_MODEL_NAMES, environment: 'live', acceptsDifferences: false } as const;
    const { comparisons, switchedAt } = await rebuildReadModels(rebuildParts(lab, showing.store), order);
    expect(comparisons.map(({ first }) => first)).toEqual(tablesOf(READ_MODEL_NAMES).map(() => null));
    expect(switchedAt).not.toBeNull();
  });
});
