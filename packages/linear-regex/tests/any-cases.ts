/** @param sources - separated by spaces */
const withFlags = (flags: string, sources: string): readonly RegExp[] =>
  sources.split(' ').map((source) => new RegExp(source, flags));

/** Patterns of one character, where the grammar has something to decide. */
export const singleCharacters: readonly RegExp[] = [
  ...withFlags(
    '',
    String.raw`a \. . \d \D \w \W \s \S [] [^] \/ \- [.] [(] [[] [\]] \t \n \v \f \r \0 \a \e`,
  ),
  ...withFlags('', String.raw`\x41 \u0041 \cA \cz \cJ [\b] [\cA] [\u00e9] \u \x \k { } ] [\c] [\c-d] [\u-z]`),
  ...withFlags(
    '',
    String.raw`[a-c] [a-] [-a] [a-c-] [a-c-e] [+--] [--0] [a\-z] [a-a] [^^] [\^] [a^] [\0-\x1f]`,
  ),
  ...withFlags(
    '',
    String.raw`[\d-z] [a-\d] [\d-\w] [\s-] [\t-\r] [\x41-\x43] [^\s\d] [^\W_] [\c1] [\c_] [a-z5]`,
  ),
  ...withFlags('', String.raw`\1 \7 \8 \9 \00 \12 \012 \47 \101 \377 [\1] [\377] [\12-\47]`),
  ...withFlags(
    'i',
    String.raw`k s @ \[ é É ß ſ \u212a \u0131 µ ÿ ς ǅ ŉ \u1e9e [a-z] [^a-z] [X-b] [à-þ] [^à-þ]`,
  ),
  ...withFlags('i', String.raw`\w [\u0100-\u0180] [^\u0130] 5`),
  ...withFlags(
    'u',
    String.raw`\u{61} \u0061 \u{1F600} \uD83D\uDE00 \ud83d\udc00 \uD83D \uDE00 😀 [😀-😎] [^😀] .`,
  ),
  ...withFlags(
    'u',
    String.raw`\W [^] [\ud83d\ude00-\u{1f64f}] [\u{1f600}a] [\-\]] \0 \cA \x41 \p{L} \P{L} \p{Lu}`,
  ),
  ...withFlags(
    'u',
    String.raw`\p{Script=Greek} [\p{L}\d_-] [^\p{L}] [^\P{L}a] [\p{Lu}\p{Nd}] [\uDBFF\uDFFF] \uDBFF\uDFFF`,
  ),
];

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);

/** Code points at the ends of what patterns distinguish: classes, cases, blanks, surrogates. */
export const characters: readonly number[] = [
  ...[...range(0, 0x250), ...range(0x370, 0x400), ...range(0x167f, 0x1681), 0x1e9e, ...range(0x1fff, 0x200b)],
  ...[...range(0x2027, 0x2030), ...range(0x205e, 0x2060), 0x2126, 0x212a, ...range(0x2fff, 0x3001), 0x4e2d],
  ...[0xd7ff, 0xd800, 0xd83d, 0xdbff, 0xdc00, 0xde00, 0xdfff, 0xe000, 0xfefe, 0xfeff, 0xff00, 0xffff],
  ...[0x10000, 0x1d49c, 0x1f400, 0x1f5ff, 0x1f600, 0x1f60e, 0x1f60f, 0x1f64f, 0x1f650, 0x10ffff],
];

/** Patterns of sequences, choices, groups, repetitions and assertions. */
export const patterns: readonly RegExp[] = [
  ...withFlags('g', '(?:) ab a|b a| |a | a||b a|ab|abc (?:a|ab)(?:c|bc) (a|ab)(c|bcd)(d*) ()'),
  ...withFlags('g', '()* (?:)*a (|a)+ (a|)+?b (a)(b)? ((a)|(b))c? (?<n>a)(b) (?<n>a)|(?<n>b)'),
  ...withFlags('g', 'a* a+ a?b a*?b a+? a??b (a+?)(a*) (a*)(a*) [ab]+c a{2} a{2,} a{1,2} a{0} a{0,0}b'),
  ...withFlags(
    'g',
    String.raw`a{1}? a{1,3}?b (a){2,3} (?:ab){2} a{ a{1 a{1, a{,2} a{1a} {a a} a] []] [^]] \u{2} x\{2}`,
  ),
  ...withFlags('g', '(a*)* (a*)+ (a?)*?b (?:a?)*?b (?:a?){2} (?:a?){2,3} ((a?)*)* ((a?)+)*b (?:(a)|(b))*'),
  ...withFlags('g', '(?:(a)|b){2} (?:(a)?b)* (z)((a+)?(b+)?(c))* (?:(a)|(b)|)*c ((a)|b)+?c (?:a*|b)*c'),
  ...withFlags(
    'g',
    String.raw`(?:a|b*)*c (?:^a?)*b (?:\b)*a (?:(?:a|)b?)*c (a{0,1}){0,2}b (?:(a)|b)?(?:(c)|b)+`,
  ),
  ...withFlags('g', '^a ^ $ a$ ^$ ^a|b$ a^ $a (^)a (?:^|b)a (?:a|$) (?:^)*a (?:$)? (?:^a|b)'),
  ...withFlags('g', String.raw`\b \ba a\b \B \Ba a\B \b\b \b\B \b_ \bé .\b. \b$`),
  ...withFlags('gm', String.raw`^ $ ^a a$ ^$ ^b|c$ (?:^a)+ a$\s \n^`),
  ...withFlags('gi', 'ab A[B-C] (a)(B) [^a]b ß ^A'),
  ...withFlags('gu', String.raw`. ^.$ .$ .. 😀+ (?:😀|a)* [^a] (.)(.) 😀|b a?😀 \b \ud83d \ude00 \n|(b)`),
  ...withFlags('gmu', '^😀 .$ ^'),
  ...withFlags(
    'g',
    String.raw`\1 \7(a) [)(]\1 \(\1 (\()\2 (?:a)\1 [\](]\1 [[(]\1 \\(a)\2 \10(a) \08 \400 \x4 \xg`,
  ),
  ...withFlags('g', String.raw`\u00e \c \c1 \k<a> \8(a) (?:\()\1 a{2,3}?b (?:a|(b)){0,2}c`),
];

/** Texts that the patterns above distinguish. */
export const texts: readonly string[] = [
  ...[
    '',
    'a',
    'b',
    'c',
    'ab',
    'ba',
    'aa',
    'aab',
    'abc',
    'abcd',
    'aaab',
    'bac',
    'cab',
    'abab',
    'zaacbbbcac',
    'ac',
  ],
  ...[
    'a b',
    ' a',
    '_',
    'a_b',
    'éa',
    'a\nb',
    'ba\nab',
    '\n',
    '\na',
    'a\r\nb',
    'a\u2028b',
    'b\u2029a',
    'xab, ba c',
  ],
  ...[
    'AB',
    'aBc',
    'ß',
    'a{',
    'a{1',
    'a{1,',
    'a{,2}',
    'a{1a}',
    '{a',
    'a}',
    'a]',
    '^]',
    'uu',
    'x{2}',
    'x4',
    'xg',
    'u00e',
  ],
  ...['😀', 'a😀', '😀a😀b', '😀\n😀', '\ud83d', 'a\ude00', '\ude00\ud83d', '\uffffb'],
  ...[
    '\u0001',
    '(\u0001',
    '\u0007a',
    'a\u0001',
    '[\u0001',
    '](\u0001',
    '\\a\u0002',
    '(\u0002',
    '\ba',
    '\u00008',
  ],
  ...[' 0', '\\c', '\\c1', 'k<a>', '8a'],
];
