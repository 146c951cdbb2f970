import fc from 'fast-check';
import { anyCharacter } from './any-character.ts';

const toEscape = (letter: string, isUpper: boolean): string => {
  const hex = letter.charCodeAt(0).toString(16).padStart(4, '0');
  return `\\u${isUpper ? hex.toUpperCase() : hex}`;
};

/** A name as a JSON string, each letter plain or as an escape. */
const spelling = (name: string): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom('plain', 'plain', 'plain', 'lower', 'upper'), {
      minLength: name.length,
      maxLength: name.length,
    })
    .map((kinds) =>
      [...name].map((letter, at) =>
        kinds[at] === 'plain' ? letter : toEscape(letter, kinds[at] === 'upper'),
      ),
    )
    .map((letters) => `"${letters.join('')}"`);

const names = ['__proto__', 'constructor', 'prototype', 'e', '1e400', '\\\\u005f_proto__'];
const jsonString = fc.oneof(
  fc.constantFrom(...names).chain(spelling),
  fc.string({ unit: anyCharacter }).map((text) => JSON.stringify(text)),
);
const digits = fc.oneof(
  fc.nat().map(String),
  fc.integer({ min: 205, max: 320 }).map((length) => '9'.repeat(length)),
  fc.constantFrom(0n, 1n, 2n, 10n, 10n ** 18n).map((more) => String(BigInt(Number.MAX_SAFE_INTEGER) + more)),
);
const jsonNumber = fc
  .tuple(
    fc.constantFrom('', '-'),
    digits,
    fc.constantFrom('', '.5', '.0'),
    fc.constantFrom('', 'e', 'E+', 'e-', 'e00'),
    fc.nat(400),
  )
  .map(([sign, whole, fraction, e, exponent]) => `${sign}${whole}${fraction}${e}${e === '' ? '' : exponent}`);

const { value: jsonValue } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    jsonString,
    jsonNumber,
    fc.constantFrom('null', 'true', ' {} ', '[\n]'),
    fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join(', ')}]`),
    fc
      .array(fc.tuple(jsonString, tie('value')), { maxLength: 4 })
      .map((fields) => `{${fields.map((field) => field.join(':')).join(',')}}`),
  ),
}));

/**
 * JSON texts with names that could change a prototype in every spelling, numbers that overflow or nearly do, and
 * nesting. One in five lacks a piece.
 */
export const jsonText = fc.oneof(
  { weight: 4, arbitrary: jsonValue },
  {
    weight: 1,
    arbitrary: fc
      .tuple(jsonValue, fc.nat(40), fc.integer({ min: 1, max: 3 }))
      .map(([text, at, length]) => text.slice(0, at) + text.slice(at + length)),
  },
);
