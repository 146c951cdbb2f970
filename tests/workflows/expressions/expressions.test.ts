import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checkExpressions, compileParameters } from '../../../lib/workflows/expressions/parameters.ts';
import type { Scope } from '../../../lib/workflows/expressions/scope.ts';
import { splitTemplate } from '../../../lib/workflows/expressions/template.ts';
import { aScope } from '../../support/an-expression.ts';
import { cases } from '../../support/deep.ts';

const scope = (changes: Partial<Scope> = {}): Scope =>
  aScope({
    input: { body: { name: 'Ada', total: 120, items: [{ sku: 'a' }, { sku: 'b' }], none: null } },
    nodes: { 'set-1': { total: 7 }, pick: { list: [1, 2] } },
    trigger: { headers: { host: 'example.com' } },
    ...changes,
  });

/** @param schema - of the parameters */
const resolve = async (
  parameters: JsonObject,
  { schema = {}, ...changes }: Partial<Scope> & { readonly schema?: JsonObject } = {},
): Promise<JsonObject> => {
  const resolveIn = compileParameters(parameters, { schema });
  if (resolveIn === null) throw new Error('it holds no expression');
  return resolveIn(scope(changes));
};

const evaluate = async (value: JsonValue, changes: Partial<Scope> = {}): Promise<JsonValue | undefined> =>
  (await resolve({ value }, changes)).value;

describe('an expression within a text', () => {
  test.each<[string, JsonValue]>([
    ['Total: {{ 20.1 * 3 }}', 'Total: 60.3'],
    ['{{ 0.1 + 0.2 }}|{{ [0.1 + 0.2, {"a": 1.1 * 3}] }}', '0.3|[0.3,{"a":3.3}]'],
    ['{{ 1 / 3 }}!', '0.333333333333333!'],
  ])('%s writes numbers as & does', async (text, expected) => {
    expect(await evaluate(text)).toEqual(expected);
  });
});

describe('an expression', () => {
  test.each<[string, JsonValue]>([
    ['{{ body.name }}', 'Ada'],
    ['{{body.total}}', 120],
    ['{{ body.items }}', [{ sku: 'a' }, { sku: 'b' }]],
    ['{{ body.items.sku }}', ['a', 'b']],
    ['{{ 20.1 * 3 }}', 60.300000000000004],
    ['{{ body.items[1].sku }}', 'b'],
    ['{{ body.total * 2 }}', 240],
    ['{{ body.total > 100 }}', true],
    ['{{ `body`.`name` }}', 'Ada'],
    ['{{ $nodes.`set-1`.total }}', 7],
    ['{{ $nodes.pick.list }}', [1, 2]],
    ['{{ $sum($nodes.pick.list) }}', 3],
    ['{{ $trigger.headers.host }}', 'example.com'],
    ['{{ $execution.id }}', 'e-1'],
    ['{{ $rawUrl(body.items) }}', [{ sku: 'a' }, { sku: 'b' }]],
    ['{{ $rawUrl(body.name) }}/', 'Ada/'],
    ['{{ $execution.workflowVersion + 1 }}', 4],
    ['{{ {"a": {"b": body.total}} }}', { a: { b: 120 } }],
    ['{{ [body.total, 1] }}', [120, 1]],
    ['{{ "}}" & body.name }}', '}}Ada'],
    ['{{ /* }} */ body.name }}', 'Ada'],
    ['{{ true }}', true],
    ['{{ null }}', null],
  ])('%s alone keeps the type of its value', async (text, value) => {
    expect(await evaluate(text)).toEqual(value);
  });

  test.each<[string, string]>([
    ['Hello, {{ body.name }}!', 'Hello, Ada!'],
    ['{{ body.name }}{{ body.total }}', 'Ada120'],
    ['none: {{ body.none }}{{ body.missing }}.', 'none: .'],
    ['{{ body.items }} and {{ body.total + 1 }}', '[{"sku":"a"},{"sku":"b"}] and 121'],
    ['{{ body.name }} {{ unfinished', 'Ada {{ unfinished'],
  ])('%s within a text becomes text', async (text, value) => {
    expect(await evaluate(text)).toBe(value);
  });

  test.each([
    '{{ body.missing }}',
    '{{ body.name.deeper }}',
    '{{ body.none.deeper }}',
    '{{ $nodes.unknown.x }}',
    '{{ body.items[9] }}',
    '{{ body.total[false] }}',
    '{{ body.total > body.missing }}',
    '{{ (body.missing) }}',
  ])('%s has no result, so its key is left out', async (text) => {
    expect(await resolve({ value: text, other: 1 })).toEqual({ other: 1 });
  });

  test('yields null only for null in the data', async () => {
    expect(await resolve({ a: '{{ body.none }}', b: '{{ null }}', c: '{{ [body.none] }}' })).toEqual({
      a: null,
      b: null,
      c: [null],
    });
  });

  test.each([
    '{{ body.constructor }}',
    '{{ body.__proto__ }}',
    '{{ body.toString }}',
    '{{ constructor.name }}',
  ])('%s reaches no prototype', async (text) => {
    expect(await evaluate(text)).toBeUndefined();
  });

  // holds: data-is-never-code
  test('yields data: expressions in it are not evaluated', async () => {
    const input = { body: { text: '{{7*7}}' } };
    expect(await evaluate('{{ body.text }}', { input })).toBe('{{7*7}}');
    expect(await evaluate('-{{ body.text }}-', { input })).toBe('-{{7*7}}-');
    expect(await evaluate('{{ body.text & "" }}', { input })).toBe('{{7*7}}');
  });

  test('takes time and randomness from the execution', async () => {
    expect(await evaluate('{{ $now() }}')).toBe('2026-01-02T03:04:05.678Z');
    expect(await evaluate('{{ $millis() }}')).toBe(Date.parse('2026-01-02T03:04:05.678Z'));
    const once = await evaluate('{{ [$random(), $random()] }}');
    expect(await evaluate('{{ [$random(), $random()] }}')).toEqual(once);
    expect(await evaluate('{{ [$random(), $random()] }}', { seed: 'e-1/node/1' })).not.toEqual(once);
    expect(new Set(once as number[]).size).toBe(2);
  });

  test.each([
    ['recursion without end', '{{ ($f := function($x) { $f($x) + 1 }; $f(1)) }}'],
    ['too many values', '{{ [1..100000000] }}'],
    ['a function as a value', '{{ $sum }}'],
    ['a lambda as a value', '{{ function($x) { $x } }}'],
    ['$eval', '{{ $eval("1+1") }}'],
    ['$eval under another name', '{{ ($e := $eval; $e("1+1")) }}'],
    ['a wrong type', '{{ body.name * 2 }}'],
  ])('%s is an error, not a value', async (_case, text) => {
    await expect(evaluate(text)).rejects.toThrow();
  });
});

describe('a pattern in an expression', () => {
  const input = { t: 'say "a}}b" or \'c\'/d', n: 8 };

  test.each<[string, JsonValue]>([
    ['{{ $replace(t, /"/, "") }}', "say a}}b or 'c'/d"],
    ['{{ $replace(t, /\'/, "") }}!', 'say "a}}b" or c/d!'],
    ['{{ $split(t, /["\'`]/)[1] }}', 'a}}b'],
    ['{{ $split(t, / or /)[0] }}', 'say "a}}b"'],
    ['{{ $contains(t, /\\/d/) }}', true],
    ['{{ $contains(t, /b"{1,2}/) or $contains(t, /a\\}\\}b/) }}', true],
    ['{{ ($quote := /"/; $contains(t, $quote)) }}', true],
    ['{{ n / 2 & "/" & n/4 }}|{{ (n)/2 }}|{{ [n][0] / 8 }}', '4/2|4|1'],
    ['{{ n /* " */ / 2 }}', 4],
  ])('%s may have quotes and braces', async (text, expected) => {
    expect(await evaluate(text, { input })).toEqual(expected);
    expect(await checkExpressions({ text })).toEqual([]);
  });
});

describe('parameters', () => {
  test('need no resolving without an expression', () => {
    expect(compileParameters({ a: 1, b: ['{{', '}}', 'text'], c: { d: null } })).toBeNull();
  });

  test('are resolved at once with simple expressions, with others when JSONata is loaded', async () => {
    expect(compileParameters({ a: '{{ body.name & "!" }}' })?.(scope())).toEqual({ a: 'Ada!' });
    await evaluate('{{ $sum([1]) }}');
    expect(compileParameters({ a: '{{ $sum([1, 2]) }}' })?.(scope())).toEqual({ a: 3 });
  });

  test('have expressions resolved wherever they are, and nothing else changed', async () => {
    const constant = { deep: ['kept'] };
    const parameters = { constant, list: ['{{ body.total }}', 1, { x: '{{ body.name }}' }] };
    const resolved = await compileParameters(parameters)?.(scope());
    expect(resolved).toEqual({ constant, list: [120, 1, { x: 'Ada' }] });
    expect(resolved?.constant).toBe(constant);
  });

  test('keep a key such as __proto__ a key', async () => {
    const parameters: JsonObject = JSON.parse(
      '{"__proto__": "{{ body.name }}", "other": "{{ body.total }}"}',
    );
    const resolved = await compileParameters(parameters)?.(scope());
    expect(JSON.stringify(resolved)).toBe('{"__proto__":"Ada","other":120}');
  });
});

describe('an expression without a result', () => {
  test('omits its key in an object and its item in a list, at every depth', async () => {
    const parameters = {
      map: { a: '{{ body.missing }}', b: 1 },
      list: ['{{ body.name }}', '{{ body.missing }}', { c: '{{ $uppercase(body.missing) }}' }, 'd'],
      only: { e: ['{{ body.missing }}'] },
    };
    expect(await resolve(parameters)).toEqual({ map: { b: 1 }, list: ['Ada', {}, 'd'], only: { e: [] } });
  });

  test('omits a key such as __proto__ too', async () => {
    const parameters: JsonObject = JSON.parse('{"a": {"__proto__": "{{ body.missing }}", "b": 1}}');
    expect(JSON.stringify(await resolve(parameters))).toBe('{"a":{"b":1}}');
  });

  const required: JsonObject = {
    properties: {
      url: { type: 'string' },
      cases: { type: 'array', items: { properties: { equals: {} }, required: ['equals'] } },
      headers: { type: 'object', additionalProperties: { properties: { name: {} }, required: ['name'] } },
    },
    required: ['url'],
  };

  test.each<[string, JsonObject]>([
    ['"url" is required, but {{ body.missing }} has no result', { url: '{{ body.missing }}' }],
    [
      '"cases.1.equals" is required, but {{ body.items[9] }} has no result',
      { cases: [{ equals: 1 }, { equals: '{{ body.items[9] }}' }] },
    ],
    [
      '"headers.a.name" is required, but {{ $trim(body.missing) }} has no result',
      { headers: { a: { name: '{{ $trim(body.missing) }}' } } },
    ],
  ])('is an error where the schema requires one: %s', async (message, parameters) => {
    await expect(resolve(parameters, { schema: required })).rejects.toThrow(`Parameter ${message}`);
  });

  test('yields the default of the schema', async () => {
    const schema = { properties: { values: { type: 'array', items: { withoutResult: null } } } };
    expect(await resolve({ values: ['{{ body.missing }}', '{{ body.total }}'] }, { schema })).toEqual({
      values: [null, 120],
    });
  });
});

describe('a list parameter', () => {
  const list = { type: 'array', items: { type: 'object', properties: { tags: { type: 'array' } } } };
  const schema: JsonObject = {
    properties: {
      items: list,
      either: { anyOf: [list, { type: 'array', maxItems: 2 }] },
      orNull: { oneOf: [list, { type: 'null' }] },
      orText: { anyOf: [{ type: 'string' }, list] },
      inBranches: { anyOf: [{ type: 'string' }, { type: 'object', properties: { list } }] },
      unclear: { anyOf: [{ properties: { a: list } }, { properties: { a: { type: 'string' } } }] },
    },
    required: ['items'],
  };

  test.each<[string, JsonValue | undefined]>([
    ['{{ body.items }}', [{ sku: 'a' }, { sku: 'b' }]],
    ['{{ body.items[sku = "a"] }}', [{ sku: 'a' }]],
    ['{{ body.items[sku = "c"] }}', []],
    ['{{ body.missing }}', []],
    ['{{ body.name }}', ['Ada']],
    ['{{ [] }}', []],
    ['{{ body.none }}', null],
  ])('%s as its value', async (text, value) => {
    expect(await resolve({ items: text }, { schema })).toEqual({ items: value });
    expect(await resolve({ either: text, orNull: text }, { schema })).toEqual({
      either: value,
      orNull: value,
    });
    expect(await resolve({ inBranches: { list: text } }, { schema })).toEqual({
      inBranches: { list: value },
    });
    expect(await resolve({ items: [{ tags: text }] }, { schema })).toEqual({ items: [{ tags: value }] });
  });

  test('is unchanged if another type is also allowed', async () => {
    const found = { orText: 'Ada', unclear: { a: 'Ada' }, unknown: 'Ada' };
    const parameters = { orText: '{{ body.name }}', unclear: { a: '{{ body.name }}' } };
    expect(await resolve({ ...parameters, unknown: '{{ body.name }}' }, { schema })).toEqual(found);
  });

  test('keeps literals and text around an expression unchanged', async () => {
    expect(await resolve({ items: 'a {{ body.name }}', orNull: 'b' }, { schema })).toEqual({
      items: 'a Ada',
      orNull: 'b',
    });
  });
});

describe('checking expressions', () => {
  test.each([
    ['{{ body. }}', ''],
    ['{{ (1 }}', ''],
    ['{{ $eval("1") }}', '$eval is not available: expressions come from the workflow only'],
    ['{{ never closed', 'a "{{" has no matching "}}"'],
  ])('%s is reported', async (text, message) => {
    const [problem, ...others] = await checkExpressions({ a: [{ 'b/c': text }] });
    expect(problem?.path).toBe('/a/0/b~1c');
    expect(problem?.message).toContain(message);
    expect(others).toEqual([]);
  });

  test('a correct one is not', async () => {
    expect(await checkExpressions({ a: '{{ body.name }}', b: ['x', 1, null, '{{ $sum([1]) }}'] })).toEqual(
      [],
    );
  });
});

describe('cutting a text at its expressions', () => {
  test('never throws and loses nothing', () => {
    const piece = fc.constantFrom('{{', '}}', '{', '}', '"', "'", '`', '\\', '/*', '*/', 'a', ' ');
    const text = fc.array(piece).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(text, (whole) => {
        const parts = splitTemplate(whole);
        const joined = parts.map((part) => ('text' in part ? part.text : `{{${part.expression}}}`)).join('');
        expect(joined).toBe(whole);
      }),
      { numRuns: cases(200, 2_000) },
    );
  });
});
