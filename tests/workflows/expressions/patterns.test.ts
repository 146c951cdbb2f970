import { compilePattern, search } from '@hookloom/linear-regex';
import type { JsonValue } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checkExpressions } from '../../../lib/workflows/expressions/parameters.ts';
import type { Result } from '../../../lib/workflows/expressions/scope.ts';
import { evaluateExpression } from '../../support/an-expression.ts';
import { anyMatchedText, anyPattern } from '../../support/any-pattern.ts';
import { cases } from '../../support/deep.ts';

const evaluate = async (text: string, body: JsonValue): Promise<Result> => evaluateExpression(text, { body });

/** The match and its groups, with where they start: as `RegExp.exec` gives them. */
const find = (pattern: RegExp, text: string, from: number): unknown => {
  const captures = search(compilePattern(pattern), text, from, () => {});
  if (captures === null) return null;
  const groups = captures.flatMap((start, slot) => {
    const end = captures[slot + 1] ?? -1;
    if (slot % 2 === 1) return [];
    return [start === -1 || end === -1 ? null : text.slice(start, end)];
  });
  return { index: captures[0], groups };
};

const execute = (pattern: RegExp, text: string, from: number): unknown => {
  pattern.lastIndex = from;
  const match = pattern.exec(text);
  return match === null ? null : { index: match.index, groups: Array.from(match, (group) => group ?? null) };
};

describe('a pattern', () => {
  test('matches what the RegExp of JavaScript matches, groups included', () => {
    fc.assert(
      fc.property(
        anyPattern,
        fc.constantFrom('g', 'gi', 'gm', 'gim'),
        anyMatchedText,
        fc.nat(4),
        (source, flags, text, from) => {
          let pattern: RegExp;
          try {
            pattern = new RegExp(source, flags);
          } catch {
            return; // two groups of one name
          }
          expect(find(pattern, text, from)).toEqual(execute(pattern, text, from));
        },
      ),
      { numRuns: cases(500, 20_000) },
    );
  });

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

  test('that matches nothing again and again is an error', async () => {
    await expect(evaluate('$match(body, /x*/)', 'aaa')).rejects.toThrow('zero length');
  });

  test.each([
    ['(a+)+$', 'a'.repeat(20_000)],
    ['(a|a)*b', 'a'.repeat(20_000)],
    ['([a-z]+)*=', 'x'.repeat(20_000)],
    ['(.*)(.*)(.*)(.*)(.*)x', 'y'.repeat(5_000)],
    ['^(\\s|\\s)*$', `${' '.repeat(20_000)}x`],
  ])('/%s/ takes no more than a bounded part of the text times that of the pattern', (source, text) => {
    const program = compilePattern(new RegExp(source, 'g'));
    let steps = 0;
    search(program, `${text}!`, 0, (more) => {
      steps += more;
    });
    expect(steps).toBeLessThan(text.length * program.instructions.length);
  });
});

describe('a pattern that could not be bounded is refused when its workflow is stored', () => {
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

  test.each(['\\1', '\\7(a)', '[)(]\\1', 'a{,2}', '\\k', '(\\()\\2'])(
    '/%s/ is none of them',
    async (source) => {
      const pattern = new RegExp(source, 'g');
      expect(await checkExpressions(`{{ $contains("x", /${source}/) }}`)).toEqual([]);
      for (const text of ['a', '\u0001', '\u0007a', '(\u0001', 'a{,2}', 'k', '(\u0002']) {
        expect(find(pattern, text, 0)).toEqual(execute(pattern, text, 0));
      }
    },
  );

  test('nor is one on the left of ?:, which the parser loses', async () => {
    const [problem] = await checkExpressions('{{ $match("x", /a/) ?: "none" }}');
    expect(problem?.message).toContain('cannot stand on the left of ?:');
  });
});
