import { initialsOf, toCard, type PublicUser } from './records.js';

const person: PublicUser = {
  id: '1852942301724180481',
  username: 'zoe',
  firstName: 'Zoë',
  lastName: 'de Vries',
  displayName: 'Zoë de Vries',
  about: '',
  pictureUrl: null,
  joinedAtUs: 1_700_000_000_123_456,
};

describe('initials', () => {
  it.each([
    [{ firstName: 'Zoë', lastName: 'de Vries' }, 'ZD'],
    [{ firstName: '', lastName: '', displayName: 'élan bakery' }, 'É'],
    [{ firstName: '(Bo)', lastName: '' }, 'B'],
    [{ firstName: 'ßen', lastName: 'ﬁsh' }, 'SF'],
    [{ firstName: '', lastName: '', displayName: '!', username: 'x1' }, 'X'],
  ])('given %j, then they are %s', (names, initials) => {
    expect(initialsOf({ ...person, ...names })).toBe(initials);
  });
});

describe('a card', () => {
  it('given no picture, then links the one of the initials, escaped', () => {
    const card = toCard({ ...person, firstName: 'Élan' }, 'https://pay.example.com');
    expect(card.profilePictureUrl).toBe('https://pay.example.com/pictures/%C3%89D.svg');
  });

  it('given a picture, then links that one', () => {
    const own = 'https://images.example.com/zoe.png';
    expect(toCard({ ...person, pictureUrl: own }, 'https://pay.example.com').profilePictureUrl).toBe(own);
  });
});
