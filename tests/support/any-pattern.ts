import fc from 'fast-check';

const atoms = [
  'a',
  'b',
  'k',
  '.',
  '\\d',
  '\\D',
  '\\w',
  '\\W',
  '\\s',
  '\\S',
  '[ab]',
  '[^a]',
  '[a-c-]',
  '[^\\s\\d]',
];
const oddAtoms = [
  'é',
  'ß',
  '\\u212a',
  '\\x41',
  '\\cA',
  '\\0',
  '\\n',
  '[]',
  '[^]',
  '[\\b]',
  '[\\w-x]',
  '{',
  '}',
  ']',
  '\\-',
  '-',
  '1',
];
const assertions = ['^', '$', '\\b', '\\B'];
const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom(...atoms, ...oddAtoms, ...assertions, ''),
    fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => a + b),
    fc
      .tuple(fc.constantFrom('(', '(?:', '(?<name>'), tie('pattern'))
      .map(([open, body]) => `${open}${body})`),
    fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => `(${a}|${b})`),
    fc
      .tuple(
        tie('pattern'),
        fc.constantFrom('*', '+', '?', '*?', '+?', '??', '{2}', '{0}', '{0,2}', '{1,}', '{1,3}?'),
      )
      .map(([body, times]) => `(?:${body})${times}`),
  ),
}));
/** Sources of regular expressions without look-around and back-references; two groups may have one name, which is an error. */
export const anyPattern = pattern;

/** Texts of units that the patterns distinguish. */
export const anyMatchedText = fc
  .array(
    fc.constantFrom(
      'a',
      'b',
      'c',
      'A',
      'B',
      'k',
      'K',
      '\u212a',
      's',
      'ſ',
      'é',
      'É',
      'ß',
      '1',
      ' ',
      '-',
      '_',
      '\n',
      '\u2028',
      '{',
      '}',
    ),
    { maxLength: 10 },
  )
  .map((units) => units.join(''));
