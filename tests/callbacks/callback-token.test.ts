import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isSignedBy, readToken, signToken } from '../../lib/callbacks/callback-token.ts';

const token = { executionId: 'e-1', name: 'each/0/3/ask/0/0', expiresAt: 1_700_000_000_000 };

describe('a token', () => {
  test('says what it was made of, and who signed it', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/),
        fc.string({ minLength: 1, maxLength: 300 }),
        fc.nat(4e15),
        (executionId, name, expiresAt) => {
          const made = { executionId, name: name.toWellFormed(), expiresAt };
          const text = signToken(made, 'key');
          expect(text).toMatch(/^[A-Za-z0-9._-]+$/);
          expect(readToken(text)).toEqual(made);
          expect(isSignedBy(text, 'key')).toBe(true);
          expect(isSignedBy(text, 'another key')).toBe(false);
        },
      ),
    );
  });

  test('is worth nothing when one character of it is another', () => {
    const text = signToken(token, 'key');
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    for (let at = 0; at < text.length; at++) {
      for (const other of alphabet.replace(text[at] ?? '', '')) {
        const altered = text.slice(0, at) + other + text.slice(at + 1);
        expect(readToken(altered) !== null && isSignedBy(altered, 'key')).toBe(false);
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
  ])('%j is none', (text) => {
    expect(readToken(text) !== null && isSignedBy(text, 'key')).toBe(false);
  });
});
