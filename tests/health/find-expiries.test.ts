import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { findExpiries, noticesOf } from '../../lib/health/find-expiries.ts';
import { cases } from '../support/deep.ts';

const DAY = 86_400_000;
const END = '2027-01-31T09:00:00.000Z';
const credential = { kind: 'credential', id: 'shop', expiresAt: END } as const;

const at = (now: string) =>
  findExpiries([credential], Date.parse(now)).map(({ stage, message }) => `${stage}: ${message}`);

const RENEW = 'Give it a new value: hookloom credential rotate shop --expires DATE.';

test.each([
  ['more than a week before', '2027-01-24T08:59:59Z', null],
  ['a week before', '2027-01-24T09:00:00Z', `soon: The credential "shop" expires on ${END}. ${RENEW}`],
  ['on the day before', '2027-01-30T23:59:59Z', `soon: The credential "shop" expires on ${END}. ${RENEW}`],
  ['on the day', '2027-01-31T00:00:00Z', `day: The credential "shop" expires on ${END}. ${RENEW}`],
  ['afterwards', '2027-01-31T09:00:00Z', `day: The credential "shop" has expired on ${END}. ${RENEW}`],
])('%s it says so', (_when, now, told) => {
  expect(at(now)).toEqual(told === null ? [] : [told]);
});

test('a variable that expires with a day says how it is set', () => {
  const variable = { kind: 'variable', id: 'rate', expiresAt: '2027-01-31T00:00:00.000Z' } as const;
  expect(findExpiries([variable], Date.parse('2027-01-30T00:00:00Z'))).toMatchObject([
    {
      message:
        'The variable "rate" expires on 2027-01-31. Give it a new value: hookloom variable set rate VALUE --expires DATE.',
    },
  ]);
});

test('a refresh token that expires says who signs in again', () => {
  expect(findExpiries([{ ...credential, isToken: true }], Date.parse('2027-01-30T00:00:00Z'))).toMatchObject([
    {
      message: `The refresh token of the credential "shop" expires on ${END}. Sign in again: hookloom credential connect shop (or rotate it, if its refresh token was typed in).`,
    },
  ]);
});

test('the notice of the week before remains on the day, and another date is another notice', () => {
  const causes = (now: string) =>
    findExpiries([credential], Date.parse(now))
      .flatMap(noticesOf)
      .map(({ cause }) => cause);
  expect(causes('2027-01-30T00:00:00Z')).toEqual([`soon:${END}`]);
  expect(causes('2027-01-31T00:00:00Z')).toEqual([`soon:${END}`, `day:${END}`]);
});

test('as time passes, what was found stays found, and the earliest comes first', () => {
  const someTime = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2028, 0, 1) });
  fc.assert(
    fc.property(fc.array(someTime), someTime, fc.nat(10 * DAY), (ends, now, later) => {
      const all = ends.map((end, id) => ({
        kind: 'variable' as const,
        id: `v${id}`,
        expiresAt: new Date(end).toISOString(),
      }));
      const found = findExpiries(all, now);
      const idsLater = findExpiries(all, now + later).map(({ id }) => id);
      expect(idsLater).toEqual(expect.arrayContaining(found.map(({ id }) => id)));
      const times = found.map(({ expiresAt }) => expiresAt);
      expect(times).toEqual(times.toSorted());
      for (const { expiresAt } of found) expect(Date.parse(expiresAt)).toBeLessThanOrEqual(now + 7 * DAY);
    }),
    { numRuns: cases(200, 5_000) },
  );
});
