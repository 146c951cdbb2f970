import type { JsonValue } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { checkExpressions } from '../../../lib/workflows/expressions/parameters.ts';
import type { Result } from '../../../lib/workflows/expressions/scope.ts';
import { evaluateExpression } from '../../support/an-expression.ts';

const evaluate = async (text: string, body: JsonValue): Promise<Result> => evaluateExpression(text, { body });

describe('a pattern', () => {
  test.each<[string, string, JsonValue]>([
    ['$match(body, /(\\d+)-(\\d+)/).groups', 'tel 12-34', ['12', '34']],
    ['$match(body, /o/).index', 'foo boo', [1, 2, 5, 6]],
    ['$replace(body, /(?<first>\\w+) (\\w+)/, "$2 $1")', 'Ada Lovelace', 'Lovelace Ada'],
    ['$split(body, /\\s*[,;]\\s*/)', 'a , b;c', ['a', 'b', 'c']],
    ['$contains(body, /^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$/i)', 'ada@Example.COM', true],
    ['$contains(body, /^\\/api\\/v[12]/)', '/api/v2/x', true],
    ['$match(body, /^\\w+/m).match', 'one\ntwo', ['one', 'two']],
    ['/b(.)/(body).start', 'abc', 1],
  ])('%s', async (text, body, value) => {
    expect(await evaluate(text, body)).toEqual(value);
  });

  test('that repeatedly matches the empty string is an error', async () => {
    await expect(evaluate('$match(body, /x*/)', 'aaa')).rejects.toThrow('zero length');
  });
});

describe('a pattern that cannot be bounded is refused when its workflow is stored', () => {
  test.each([
    ['a(?=b)', 'lookahead and lookbehind'],
    ['a(?!b)', 'lookahead and lookbehind'],
    ['(?<=a)b', 'lookahead and lookbehind'],
    ['(?<!a)b', 'lookahead and lookbehind'],
    ['(a)\\1', 'backreferences'],
    ['(?<x>a)\\k<x>', 'backreferences'],
    ['(?i:a)', 'flags within a pattern'],
    ['((a{100}){100}){100}', 'too large'],
  ])('/%s/', async (source, message) => {
    const [problem, ...others] = await checkExpressions({ a: `{{ 1 + $contains("x", /${source}/) }}` });
    expect(problem?.path).toBe('/a');
    expect(problem?.message).toContain(message);
    expect(problem?.message).toMatch(/\(character \d+\)$/);
    expect(others).toEqual([]);
  });

  test.each(['\\1', '\\7(a)', '[)(]\\1', 'a{,2}', '\\k', '(\\()\\2'])('/%s/ is not one', async (source) => {
    expect(await checkExpressions(`{{ $contains("x", /${source}/) }}`)).toEqual([]);
  });

  test('nor is one left of ?:, which the parser loses', async () => {
    const [problem] = await checkExpressions('{{ $match("x", /a/) ?: "none" }}');
    expect(problem?.message).toContain('cannot stand on the left of ?:');
  });
});
