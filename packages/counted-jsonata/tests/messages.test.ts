import { describe, expect, test } from '@jest/globals';
import { describeError, EvaluationError } from '../src/evaluation-error.ts';
import { messageOf } from './an-evaluation.ts';

describe('the message of a failed evaluation says what is wrong and where', () => {
  test.each([
    ['-"a"', 'Cannot negate a non-numeric value: "a" (character 1)'],
    ['-[1, 2]', 'Cannot negate a non-numeric value: an array of length 2 (character 1)'],
    ['-{}', 'Cannot negate a non-numeric value: an object (character 1)'],
    ['-null', 'Cannot negate a non-numeric value: null (character 1)'],
    ['-true', 'Cannot negate a non-numeric value: true (character 1)'],
    ['1 / 0', 'its result is Infinity, which is not JSON'],
    ['1 / 0 + 1', 'Number out of range: Infinity (character 7)'],
    [
      '1 < "a"',
      'The values 1 and "a" either side of operator "<" must be of the same data type (character 3)',
    ],
    ['$number("ten")', 'Unable to cast value to a number: "ten" (character 8)'],
    [
      '$power(10, 400)',
      'The power function has resulted in a value that cannot be represented as a JSON number: 10 (character 7)',
    ],
    ['$sqrt(-1)', 'The sqrt function cannot be applied to a negative number: -1 (character 6)'],
    [
      '$formatBase(5, 1)',
      'The radix of the formatBase function must be between 2 and 36. It was given 1 (character 12)',
    ],
    ['{$number("5"): 1}', 'Key in object structure must evaluate to a string; got: 5 (character 1)'],
    ['{"a": 1, "a": 2}', 'Multiple key definitions evaluate to same key: "a" (character 1)'],
    ['$sum(["a"])', 'Argument 1 of function "sum" must be an array of "numbers" (character 5)'],
    ['$sum("a")', 'Argument 1 of function "sum" must be an array of "numbers" (character 5)'],
    ['$uppercase(5)', 'Argument 1 of function "uppercase" does not match function signature (character 11)'],
    [
      '$substring("a", "b")',
      'Argument 2 of function "substring" does not match function signature (character 11)',
    ],
    [
      '$substring("a", 1, "b")',
      'Argument 3 of function "substring" does not match function signature (character 11)',
    ],
    ['sum([1])', 'Attempted to invoke a non-function. Did you mean $sum? (character 4)'],
    ['sum(?)', 'Attempted to partially apply a non-function. Did you mean $sum? (character 4)'],
    ['5(?)', 'Attempted to partially apply a non-function (character 2)'],
    [
      '$contains("a", function($t) { 5 })',
      'The matcher function argument passed to function "contains" does not return the correct object structure (character 10)',
    ],
    [
      '$match("a", function($t) { 5 })',
      'The matcher function argument passed to function "match" does not return the correct object structure (character 7)',
    ],
    [
      '$split("a", function($t) { 5 })',
      'The matcher function argument passed to function "split" does not return the correct object structure (character 7)',
    ],
    [
      '$replace("a", function($t) { 5 }, "b")',
      'The matcher function argument passed to function "replace" does not return the correct object structure (character 9)',
    ],
    ['$error("a problem")', 'a problem (character 7)'],
    ['$error()', '$error() function evaluated (character 7)'],
    ['$assert(false, "a problem")', 'a problem (character 8)'],
    ['$assert(false)', '$assert() statement failed (character 8)'],
    ['$decodeUrl("%")', 'Malformed URL passed to $decodeUrl(): "%" (character 11)'],
    ['$decodeUrlComponent("%")', 'Malformed URL passed to $decodeUrlComponent(): "%" (character 20)'],
    [
      '[{"v": 1}, {"v": "a"}]^(v)',
      'Type mismatch when comparing values 1 and "a" in order-by clause (character 23)',
    ],
    [
      '{} ~> |$|5|',
      'The insert/update clause of the transform expression must evaluate to an object: 5 (character 10)',
    ],
    [
      '{} ~> |$|{}, 5|',
      'The delete clause of the transform expression must evaluate to a string or array of strings: 5 (character 14)',
    ],
    [
      '{"a": 5} ~> |a|{"b": 1}|',
      'The pattern of a transform expression must select objects inside the copy that it changes (character 13)',
    ],
    [
      '($o := {"a": 1}; {} ~> |$o|{"b": 1}|)',
      'The pattern of a transform expression must select objects inside the copy that it changes (character 24)',
    ],
    ['[1..1000001]', 'The maximum sequence length of 1000000 was exceeded (character 4)'],
    [
      '$formatNumber(1, "#.#.#")',
      'The picture of $formatNumber() must not have more than one decimal separator (character 14)',
    ],
    [
      '$formatInteger(1000001, "I")',
      'The picture or the value of $formatInteger() is too long, or asks for too many digits (character 15)',
    ],
    [
      '$fromMillis(0, "[Y,999]")',
      'The picture or the value of $fromMillis() is too long, or asks for too many digits (character 12)',
    ],
    [
      '$toMillis("1", "[Y,999]")',
      'The picture or the value of $toMillis() is too long, or asks for too many digits (character 10)',
    ],
    [
      '$fromMillis(0, "yyyy")',
      '"yyyy" is not a picture: its components must be in brackets; did you mean "[Y0001]"? (character 12)',
    ],
    [
      '$toMillis("1", "yyyy")',
      '"yyyy" is not a picture: its components must be in brackets; did you mean "[Y0001]"? (character 10)',
    ],
    [
      '$toMillis("soon")',
      'The argument of the toMillis function must be an ISO 8601 formatted timestamp of a time that exists. Given "soon" (character 10)',
    ],
    ['$base64decode("/w==")', 'The argument of $base64decode() has bytes that are not UTF-8 (character 14)'],
    [
      '$parse("{\\"a\\": 1,}")',
      'The argument of the parse function is not JSON: Expected double-quoted property name in JSON at position 8 (line 1 column 9) (character 7)',
    ],
    ['$parse("[1, x]")', 'The argument of the parse function is not JSON: Unexpected token (character 7)'],
    ['$range(1.5, 2, 1)', 'The arguments of the range function must be integers, got 1.5 (character 7)'],
    [
      '$partition([1], 0)',
      'The size of the partition function must be an integer of at least 1, got 0 (character 11)',
    ],
    [
      '$hash("a", "CRC")',
      'The algorithm of the hash function must be one of MD5, SHA-1, SHA-256, SHA-384, SHA-512, got "CRC" (character 6)',
    ],
    [
      '($f := function($x) { $uppercase(5) }; $f(1))',
      'Argument 1 of function "uppercase" does not match function signature (character 33)',
    ],
    [
      '$map([1], function($x) { 1 + $x.$uppercase(5) })',
      'Argument 1 of function "uppercase" does not match function signature (character 43)',
    ],
    ['($f := /a/; $f(5))', 'Argument 1 of function "f" does not match function signature (character 10)'],
    [
      '($f := function($n) { 1 + $f($n) }; $f(1))',
      'Stack overflow. Check for endless recursion, or make the recursive call the last thing that the function does (character 29)',
    ],
    [
      '($f := function($n) { $f($n) }; $f(1))',
      'It takes more than 3000000 steps. Check for endless recursion, or for work that grows with the square of the input (character 35)',
    ],
    [
      '($f := function($a, $b)<sn:s> { 1 }; $f(5, "a", 1))',
      'Argument 1 of function "f" does not match function signature (character 40)',
    ],
    [
      'n.$contains("a")',
      'Context value is not a compatible type with argument 1 of function "contains" (character 12)',
    ],
    [
      '$formatNumber(1, $pad("0", 301))',
      'The picture or the value of $formatNumber() is too long, or asks for too many digits (character 14)',
    ],
    [
      '$parseInteger("1", $pad("0", 301))',
      'The picture or the value of $parseInteger() is too long, or asks for too many digits (character 14)',
    ],
    [
      '$map([1], $formatNumber(?, "#.#.#"))',
      'The picture of $formatNumber() must not have more than one decimal separator (character 5)',
    ],
  ])('%s', (text, expected) => {
    expect(messageOf(text, { n: 5 })).toBe(expected);
  });

  test('a long text is shortened', () => {
    expect(messageOf(`-"${'a'.repeat(100)}"`)).toContain(`"${'a'.repeat(100)}"`);
    expect(messageOf(`-"${'a'.repeat(101)}"`)).toContain(`"${'a'.repeat(100)}…"`);
  });

  test('a value that is nested too deeply is described by the limit', () => {
    let nested: unknown = 1;
    for (let level = 0; level < 502; level++) nested = [nested, 1];
    expect(messageOf('$$', nested)).toBe('A value is nested more than 500 levels deep');
  });

  test.each([
    [new Error('a problem'), 'a problem'],
    ['a text', 'a text'],
    [null, 'null'],
    [{ message: undefined }, '[object Object]'],
  ])('%p, which is no failed evaluation, has its own message', (error, expected) => {
    expect(describeError(error)).toBe(expected);
  });

  test('the error has a name and a code', () => {
    expect(String(new EvaluationError('T1006'))).toBe('EvaluationError: T1006');
  });
});

test('a member that is no function is not taken for a misspelled one', () => {
  expect(messageOf('sum([1])', { sum: 5 })).toBe('Attempted to invoke a non-function (character 4)');
});
