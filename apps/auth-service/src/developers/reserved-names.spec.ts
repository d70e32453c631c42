import { resemblesProductName } from './reserved-names.js';

describe('resemblesProductName', () => {
  it.each([
    'Settle',
    'SETTLE',
    'settle support',
    'SettleSupport',
    'The Settle wallet',
    'S e t t l e',
    'S.E.T.T.L.E',
    'Sett1e',
    'SettIe',
    '5ett|e',
    '$ettle',
    'Séttlé',
    'S\u0301ettle',
    'Ѕеttlе',
    'Sеттle',
    'Ｓｅｔｔｌｅ',
    '𝐒𝐞𝐭𝐭𝐥𝐞',
    'Ⓢⓔⓣⓣⓛⓔ',
    'Settłe',
    'Settle settlement',
    'Settlеment of Settle',
  ])('given %s, when compared, then it resembles the product name', (name) => {
    expect(resemblesProductName(name)).toBe(true);
  });

  it.each([
    'Split it',
    'Settlement helper',
    'Unsettled',
    'Debts settled',
    'Set the table',
    'Kettle',
    'Lunch',
    '割り勘',
  ])('given %s, when compared, then it does not resemble the product name', (name) => {
    expect(resemblesProductName(name)).toBe(false);
  });
});
