import { createHash as createNodeHash } from 'node:crypto';
import { loadNatives } from '@hookloom/counted-jsonata';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createHash } from '../src/node/crypto.ts';
import { completeExpression } from '../src/parts/expression/complete-expression.ts';
import { evaluateOnSample } from '../src/parts/expression/evaluate-sample.ts';
import { findExpressions, findStart } from '../src/parts/expression/expression-parts.ts';
import { FUNCTIONS } from '../src/parts/expression/functions.ts';
import { tokenizeExpression } from '../src/parts/expression/jsonata-tokens.ts';

const sample = {
  body: {
    name: 'Ann',
    'first name': 'Ann',
    items: [
      { price: 3, tags: ['new'] },
      { price: 4, used: true },
    ],
  },
  $nodes: { pick: { total: 7 }, 'my-node': { ok: true } },
  $trigger: { body: { name: 'Ann' } },
  $vars: { region: 'eu' },
  $execution: { id: 'run-1', startedAt: '2026-01-02T03:04:05.000Z' },
};
const names = { nodes: ['pick', 'later'], variables: ['region', 'limit'] };

/** Labels of the fields that are offered at the end of a text. */
const fieldsAt = (text: string, isAsked = true): readonly string[] | null => {
  const found = completeExpression(text, text.length, { syntax: 'template', sample, names, isAsked });
  return found?.options.flatMap(({ kind, label }) => (kind === 'field' ? [label] : [])) ?? null;
};

const anyText = fc.string({
  unit: fc.integer({ max: 0xffff, min: 0 }).map((unit) => String.fromCharCode(unit)),
});

describe('completion offers', () => {
  test.each([
    ['the fields of the input', '{{ ', ['body']],
    ['the fields of a path', 'Hello {{ body.', ['name', '`first name`', 'items']],
    ['the fields of the items of a list', '{{ body.items.', ['price', 'tags', 'used']],
    ['the fields behind a filter', '{{ body.items[price > 3].', ['price', 'tags', 'used']],
    ['the fields of the items within a filter', '{{ body.items[', ['price', 'tags', 'used']],
    ['the fields of the items within a step', '{{ body.items.(', ['price', 'tags', 'used']],
    ['the input behind a filter that is closed', '{{ $sum(body.items[price > 3].price) + ', ['body']],
    ['the fields of the input within a function', '{{ $sum(', ['body']],
    ['the fields of an item by $', '{{ body.items[$.', ['price', 'tags', 'used']],
    ['the input by $$', '{{ body.items[$$.', ['body']],
    ['nodes with an output, then others', '{{ $nodes.', ['pick', '`my-node`', 'later']],
    ['the fields of a node behind backticks', '{{ $nodes.`my-node`.', ['ok']],
    ['variables', '{{ $vars.re', ['region', 'limit']],
    [
      'what executions have',
      '{{ $execution.',
      ['id', 'workflowId', 'workflowVersion', 'startedAt', 'stage', 'trigger'],
    ],
    ['the fields of $trigger', '{{ "a" & $trigger.body.', ['name']],
    ['nothing of a text', '{{ body.name. ', null],
    ['nothing of a function', '{{ $sum(body).', null],
    ['nothing outside of expressions', 'body.', null],
    ['nothing behind an expression', '{{ body }} ', null],
    ['nothing within a string', '{{ "body.', null],
    ['nothing within a comment', '{{ /* body.', null],
    ['nothing of what is not there', '{{ body.nothing.', null],
  ])('%s', (_, text, labels) => {
    expect(fieldsAt(text)).toEqual(labels);
  });

  test.each([
    ['a body, whose item is known', { ...sample, $item: { id: 1 } }, null, true],
    ['a body, whose item has a type', sample, { input: {}, trigger: {}, nodes: {}, item: {} }, true],
    ['the rest of a workflow', sample, { input: {}, trigger: {}, nodes: {} }, false],
  ])('$item in %s', (_, data, types, isOffered) => {
    const given = { syntax: 'template', sample: data, names: { ...names, types }, isAsked: true } as const;
    const labels = completeExpression('{{ $it', 6, given)?.options.map(({ label }) => label);
    expect(labels?.includes('$item')).toBe(isOffered);
  });

  test('functions with what they return', () => {
    const found = completeExpression('{{ $su', 6, { syntax: 'template', sample, names, isAsked: false });
    expect(found?.from).toBe(3);
    expect(found?.options).toContainEqual({
      kind: 'function',
      label: '$sum',
      detail: '(numbers)',
      info: 'The sum of the numbers.',
    });
  });

  test('declared fields with their type and what is said of them, before others that were seen', () => {
    const types = {
      input: {
        type: 'object',
        properties: {
          body: {
            type: 'object',
            properties: {
              total: { type: 'number', description: 'In cents', examples: [1200] },
              items: {
                type: 'array',
                items: {
                  type: 'object',
                  properties: { price: { type: 'number' }, colour: { enum: ['red'], type: 'string' } },
                },
              },
              name: { anyOf: [{ type: 'string' }, { type: 'null' }] },
            },
          },
        },
      },
      trigger: { type: 'object', properties: { id: { type: 'string' } } },
      nodes: { later: { type: 'object', properties: { sum: { type: 'number' } } } },
    };
    const offered = (text: string) =>
      completeExpression(text, text.length, {
        syntax: 'jsonata',
        sample,
        names: { ...names, types },
        isAsked: true,
      })
        ?.options.filter(({ kind }) => kind === 'field')
        .map(({ label, detail, info }) => [label, detail, info]);
    expect(offered('body.')).toEqual([
      ['total', 'number', 'In cents\nExample: 1200'],
      ['items', 'list of object', null],
      ['name', 'string or null · "Ann"', null],
      ['`first name`', '"Ann"', null],
    ]);
    const item = [
      ['price', 'number · 3', null],
      ['colour', '"red"', null],
      ['tags', 'list of 1', null],
      ['used', 'true', null],
    ];
    expect(offered('body.items.')).toEqual(item);
    expect(offered('body.items[')).toEqual(item);
    expect(offered('$trigger.')).toEqual([
      ['id', 'string', null],
      ['body', 'object', null],
    ]);
    expect(offered('$nodes.later.')).toEqual([['sum', 'number', null]]);
  });

  test('nothing for an empty word, unless it is asked for', () => {
    expect(fieldsAt('{{ ', false)).toBeNull();
    expect(fieldsAt('{{ body.', false)).toEqual(['name', '`first name`', 'items']);
  });

  test('keys such as __proto__ as they are', () => {
    const hostile = JSON.parse('{ "__proto__": { "a": 1 }, "b": { "constructor": 2 } }');
    const at = (text: string) =>
      completeExpression(text, text.length, { syntax: 'jsonata', sample: hostile, names, isAsked: true })
        ?.options.filter(({ kind }) => kind === 'field')
        .map(({ label }) => label);
    expect(at('__proto__.')).toEqual(['a']);
    expect(at('b.')).toEqual(['constructor']);
    expect(at('toString.')).toBeUndefined();
  });

  test('a bounded number of fields of any text and data, in no time', () => {
    const text = fc.array(
      fc.constantFrom('{{', '}}', '$nodes', '.', '[', ']', '(', ')', '`', '"', 'body', ' '),
    );
    fc.assert(
      fc.property(text, fc.jsonValue(), (words, value) => {
        const joined = words.join('');
        const data = { body: value, $nodes: value as never };
        const found = completeExpression(joined, joined.length, {
          syntax: 'template',
          sample: data,
          names,
          isAsked: true,
        });
        expect(found?.options.length ?? 0).toBeLessThan(300);
      }),
      { numRuns: 500 },
    );
  });
});

test('every function has a description, and no other', async () => {
  expect(FUNCTIONS.map(([name]) => name)).toEqual([...(await loadNatives()).keys()].sort());
});

describe('a text on a sample has', () => {
  const evaluate = (text: string, syntax: 'template' | 'jsonata' = 'template') =>
    evaluateOnSample(text, syntax, sample, names);

  test.each([
    ['the value of its one expression', '{{ $sum(body.items.price) }}', 7],
    ['a text of several', 'Hello, {{ body.name }}: {{ $nodes.pick.total }}', 'Hello, Ann: 7'],
    ['itself, without expressions', 'Hello', 'Hello'],
    ['the execution of the sample', '{{ $execution.id & $now() }}', 'run-12026-01-02T03:04:05.000Z'],
    ['variables', '{{ $vars.region }}', 'eu'],
    ['hashes', '{{ $hash("abc", "MD5") }}', '900150983cd24fb0d6963f7d28e17f72'],
  ])('%s', async (_, text, value) => {
    expect(await evaluate(text)).toEqual({ kind: 'value', value });
  });

  test('an expression without braces, where that is the syntax', async () => {
    expect(await evaluate("body.name = 'Ann'", 'jsonata')).toEqual({ kind: 'value', value: true });
  });

  test('nothing, if its path leads nowhere', async () => {
    expect(await evaluate('{{ body.nothing }}')).toEqual({ kind: 'nothing' });
  });

  test('no value without a sample, but faults', async () => {
    expect(await evaluateOnSample('{{ body.a }}', 'template', null, names)).toEqual({ kind: 'unknown' });
    expect(await evaluateOnSample('{{ $vars.regio }}', 'template', null, names)).toMatchObject({
      kind: 'faults',
    });
  });

  test.each([
    ['a syntax error with its place', 'a {{ body.name + }}', /end of expression/, [15, 16]],
    [
      'an unknown function with what was meant',
      '{{ $uppercas(body.name) }}',
      /did you mean "\$uppercase"/,
      [3, 23],
    ],
    [
      'an unknown node with what was meant',
      '{{ $nodes.pik.total }}',
      /did you mean "\$nodes.pick.total"/,
      [3, 19],
    ],
    [
      'a failure with its place',
      '{{ body.name }} {{ 2 * body.name }}',
      /must evaluate to a number/,
      [21, 22],
    ],
    ['an expression that is empty', '{{  }}', /is empty/, [4, 4]],
  ])('%s', async (_, text, message, place) => {
    const outcome = await evaluate(text);
    const [fault] = outcome.kind === 'faults' ? outcome.faults : [];
    expect(fault?.message).toMatch(message);
    expect([fault?.from, fault?.to]).toEqual(place);
  });

  test.each([
    ['recursion without an end', '{{ ($f := function($n) { $f($n + 1) + 1 }; $f(0)) }}'],
    ['tail calls without an end', '{{ ($f := function($n) { $f($n + 1) }; $f(0)) }}'],
    ['products of lists', '{{ [1..1000].([1..1000].([1..1000])) }}'],
    ['a text that doubles', '{{ $reduce([1..100], function($a, $b) { $a & $a }, "ab") }}'],
    ['a pattern that backtracks elsewhere', `{{ $match("${'a'.repeat(5_000)}b", /(a+)+$/) }}`],
    ['deep brackets', `{{ ${'('.repeat(9_000)}${')'.repeat(9_000)} }}`],
    ['a long text', `{{ "${'a'.repeat(5_000_000)}" }}`],
  ])('a bound on its work: %s', async (_, text) => {
    const { kind } = await evaluate(text);
    expect(['faults', 'value', 'nothing']).toContain(kind);
  });
});

describe('the words of an expression', () => {
  test('are told apart', () => {
    const text = '$f(`a b`, "c\\"d", 1.5e3) /* no */ ~> /x[a-z]/ & body.name';
    expect(tokenizeExpression(text).map(({ kind, text: word }) => `${kind} ${word}`)).toEqual([
      'variable $f',
      'operator (',
      'name a b',
      'operator ,',
      'string c\\"d',
      'operator ,',
      'number 1.5e3',
      'operator )',
      'comment ',
      'operator ~>',
      'regex ',
      'operator &',
      'name body',
      'operator .',
      'name name',
    ]);
  });

  test('cover any text in order, without overlap', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        let end = 0;
        for (const { from, to } of tokenizeExpression(text)) {
          expect(from).toBeGreaterThanOrEqual(end);
          expect(to).toBeGreaterThan(from);
          end = to;
        }
        expect(end).toBeLessThanOrEqual(text.length);
      }),
    );
  });
});

test('an expression is found from its braces to its end, finished or not', () => {
  expect(findExpressions('a {{ b }}{{c}}', 'template')).toEqual([
    { from: 5, text: 'b' },
    { from: 11, text: 'c' },
  ]);
  expect([0, 4, 7, 9, 11].map((at) => findStart('a {{ b }}{{c}}', at, 'template'))).toEqual([
    null,
    4,
    4,
    null,
    11,
  ]);
  expect(findStart('a {{ b', 6, 'template')).toBe(4);
});

test('the hashes of the page are those of the service', () => {
  fc.assert(
    fc.property(anyText, fc.constantFrom('md5', 'sha1', 'sha256', 'sha384', 'sha512'), (text, name) => {
      expect(createHash(name).update(text).digest('hex')).toBe(
        createNodeHash(name).update(text).digest('hex'),
      );
    }),
  );
});
