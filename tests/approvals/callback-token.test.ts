import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { hasValidSignature, parseToken, signToken } from '../../lib/approvals/callback-token.ts';

const token = { executionId: 'e-1', name: 'each/0/3/ask/0/0', expiresAt: 1_700_000_000_000 };

describe('a callback token', () => {
  test('returns what was signed, under the same key only', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/),
        fc.string({ minLength: 1, maxLength: 300 }),
        fc.nat(4e15),
        (executionId, name, expiresAt) => {
          const made = { executionId, name: name.toWellFormed(), expiresAt };
          const text = signToken(made, 'key');
          expect(text).toMatch(/^[A-Za-z0-9._-]+$/);
          expect(parseToken(text)).toEqual(made);
          expect(hasValidSignature(text, 'key')).toBe(true);
          expect(hasValidSignature(text, 'another key')).toBe(false);
        },
      ),
    );
  });

  // holds: callback-urls-stay-secret
  test('is refused when one character is altered', () => {
    const text = signToken(token, 'key');
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    for (let at = 0; at < text.length; at++) {
      for (const other of alphabet.replace(text[at] ?? '', '')) {
        const altered = text.slice(0, at) + other + text.slice(at + 1);
        expect(parseToken(altered) !== null && hasValidSignature(altered, 'key')).toBe(false);
      }
    }
  });

  test.each([
    '',
    'e-1',
    '.....',
    `${signToken(token, 'key')}.`,
    `x${'.'.repeat(3)}`,
    signToken(token, 'key').slice(0, -1),
    `${signToken(token, 'key')}A`,
    signToken({ ...token, executionId: '../etc' }, 'key'),
  ])('refuses %j', (text) => {
    expect(parseToken(text) !== null && hasValidSignature(text, 'key')).toBe(false);
  });
});
