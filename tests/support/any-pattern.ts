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
const unicodeAtoms = [
  '\\p{L}',
  '\\P{L}',
  '\\p{Lu}',
  '\\p{Script=Greek}',
  '[\\p{L}\\d_-]',
  '[^<\\p{So}]',
  '[^\\P{L}a]',
  '\\u{61}',
  '\\u{1F600}',
  '\\uD83D\\uDE00',
  '[\\ud83d\\ude00-\\u{1f64f}]',
  '\\uD83D',
  '\\uDE00',
  '😀',
  '[😀-😎]',
  '[^😀]',
  '[^a]',
  '.',
  '\\W',
  '\\S',
  '\\/',
  '[\\-\\]]',
  '\\0',
  'a',
];
const assertions = ['^', '$', '\\b'];
const patternsOf = (all: readonly string[]) =>
  fc.letrec<{ pattern: string }>((tie) => ({
    pattern: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.constantFrom(...all, ...assertions, ''),
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
  })).pattern;

/** Sources of regular expressions without look-around and back-references; two groups may have one name, which is an error. */
export const anyPattern = patternsOf([...atoms, ...oddAtoms, '\\B']);
/** Those that mean something else with the flag `u`, or are an error without it. V8 finds \B within a surrogate pair, against the standard. */
export const anyUnicodePattern = patternsOf(unicodeAtoms);

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

export const anyUnicodeText = fc
  .array(
    fc.constantFrom(
      'a',
      'ab',
      'Ä',
      'λ',
      '中',
      '1',
      '_',
      '<',
      '☃',
      '/',
      ']',
      '\n',
      '\0',
      '😀',
      '😎',
      '𝒜',
      '\ud83d',
      '\ude00',
    ),
    {
      maxLength: 8,
    },
  )
  .map((parts) => parts.join(''));
