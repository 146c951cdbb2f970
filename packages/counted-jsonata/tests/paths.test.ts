import { describe, test } from '@jest/globals';
import { compare } from './an-evaluation.ts';

const input = {
  a: { n: 7, t: 'y', in: { k: 9 } },
  list: [
    { n: 2, t: 'x', in: [{ k: 1 }, { k: 2 }] },
    { n: 1, in: { k: 3 } },
    { n: 3, t: 'x', in: [{ k: [4, 5] }] },
  ],
  one: [{ n: 1, t: 'y', in: [{ k: 6 }] }],
  none: [],
  nested: [[{ n: 1 }, { n: 2 }], [[{ n: 3 }]]],
  text: 'xy',
  gap: [null, { n: null }],
};

const starts = [
  'a',
  'list',
  'one',
  'none',
  'nested',
  'missing',
  'text',
  'gap',
  'list.in',
  '[list, a]',
  'list[n > 1]',
  '["ab", 5]',
];

/** What may follow any of them. */
const ends: Readonly<Record<string, readonly string[]>> = {
  steps: [
    '',
    '.n',
    '."n"',
    '.in.k',
    '.(n)',
    '.{"k": n}',
    '.*',
    '.**',
    '.**.k',
    '.$string(n)',
    '.$count(in)',
    '.[n]',
    '.[n, t]',
    '.[n][0]',
    '.[in]',
    '.[in].k',
    '.in.[k]',
    '[]',
    '.n[]',
    '[0][]',
    '.in[]',
    '.in[].k',
  ],
  predicates: [
    '[0]',
    '[-1]',
    '[1.7]',
    '[5]',
    '[0].n',
    '[1].$string()',
    '[n > 1]',
    '[n = 7].t',
    '[n = 8].t',
    '[[0, 2]]',
    '[[-1, 0, 0]]',
    '[["x"]]',
    '[[]]',
    '[n - 2]',
    '[-n]',
    '[$]',
    '[t]',
    '[n][t]',
    '.in[0]',
    '.in[0].k',
    '[[0]].n',
  ],
  orders: ['^(n)', '^(>n)', '^(t, >n).n', '^(>t, n).n', '^(n)[0]', '.n^($)', '.in^(>k).k', '[n = 7]^(n).n'],
  groups: ['{t: n}', '{"k": $count($)}', '{t: n, "z": n}', '.n{$string($): $}', '[0]{"a": n}', '{"a": n}.a'],
  positions: [
    '#$i',
    '#$i.{"i": $i}',
    '#$i[$i = 1]',
    '#$i[1].$i',
    '^(n)#$i.{"i": $i, "n": n}',
    '#$i^(>n).$i',
    '.in#$j.k',
    '#$i{$string($i): n}',
    '.in#$i^(k)#$j.{"i": $i, "j": $j}',
    '.in.k#$i[$i = 0]',
  ],
  variables: [
    '@$v.{"v": $v.n}',
    '@$v#$i.{"v": $v.n, "i": $i}',
    '@$v{$v.t: $v.n}',
    '@$v[$v.n > 1].n',
    '@$v.$v.n[]',
    '.in@$w.{"k": $w.k}',
    '@$v.in@$w{$string($v.n): $w.k}',
  ],
  parents: ['.in.{"up": %.n}', '.in.k.%.%.n', '.in.k.{"k": $, "n": %.%.n}'],
};

/** The parser refuses these. */
const isInvalid = (start: string, end: string): boolean => start.endsWith(']') && end.startsWith('@');

describe('a path has the same value as in the library', () => {
  test.each(Object.keys(ends))('with %s', async (kind) => {
    const texts = starts.flatMap((start) =>
      (ends[kind] ?? []).filter((end) => !isInvalid(start, end)).map((end) => start + end),
    );
    await compare(texts, input);
  });
});

describe('a list as the input is one value', () => {
  const starts = ['$', '$$', 'n', 'in', '(in)', '*', '**', '($)', '[in]', '$map($, function($v){$v})'];
  const { list, one, none, nested, gap } = input;
  test.each([
    ['objects', list],
    ['one object', one],
    ['no item', none],
    ['lists', nested],
    ['null', gap],
    ['numbers', [3, 1, 2]],
  ])('%s', async (_name, root) => {
    const texts = starts.flatMap((start) =>
      Object.values(ends).flatMap((all) =>
        all.filter((end) => !isInvalid(start, end)).map((end) => `${start}${end}`),
      ),
    );
    await compare(
      [
        ...texts,
        '$string()',
        '$string($$)',
        '$count($)',
        '$sum($.n)',
        '{"a": $sum(n)}',
        '$keys()',
        '$type($)',
        '$ ~> $count()',
        '$[0]',
        '$$[0].n',
        '$.$',
        'function($x){$x}($)',
        '$reverse($)',
      ],
      root,
    );
  });
});
