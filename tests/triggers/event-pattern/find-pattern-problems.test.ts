import { expect, test } from '@jest/globals';
import { findPatternProblem } from 'lambda-stage/sources';
import { findPatternProblems } from '../../../lib/triggers/event-pattern/find-pattern-problems.ts';

/** Patterns of the user guide and of event-ruler's README: EventBridge takes them. */
const valid: readonly object[] = [
  {
    source: ['aws.s3'],
    'detail-type': ['Object Created'],
    detail: { object: { size: [{ numeric: ['>', 0] }] } },
  },
  { account: [123456789012] },
  { a: ['x', 1, true, null, { exists: false }] },
  { a: [{ prefix: '' }, { suffix: { 'equals-ignore-case': 'x' } }, { 'equals-ignore-case': '' }] },
  {
    a: [
      { 'anything-but': ['a', 'b'] },
      { 'anything-but': [1, 2] },
      { 'anything-but': { prefix: ['a', 'b'] } },
    ],
  },
  { a: [{ 'anything-but': { wildcard: '' } }, { wildcard: '*a\\*b\\\\*' }] },
  { a: [{ numeric: ['=', -4e-6] }, { numeric: ['>=', -5e9, '<', 5e9] }] },
  { a: [{ cidr: '10.0.0.0/31' }, { cidr: '2001:db8::/127' }] },
  { $or: [{ a: [1] }, { b: [1] }], c: { $or: [{ a: [1] }, { a: [2] }] } },
];

test.each(valid)('accepts %j', (pattern) => {
  expect(findPatternProblems(pattern)).toEqual([]);
});

/** Operands of one field that event-ruler's JsonRuleCompilerTest.java refuses too, unless the guide is named. */
const badValues: readonly (readonly [wanted: unknown, path: string, message: string])[] = [
  [[], '', 'must not be an empty array'],
  ['x', '', 'must be an array of values or an object; did you mean ["x"]?'],
  [1, '', 'did you mean [1]?'],
  [[['x']], '/0', 'must be a string, a number, true, false, null or an object'],
  [[{}], '/0', 'must have one operator'],
  [[{ prefix: 'child', foo: [] }], '/0', 'must have one operator'],
  [[{ foo: 'child' }], '/0', 'the operator "foo", which EventBridge does not have here; it has "prefix"'],
  [[{ equalsIgnoreCase: 'x' }], '/0', 'did you mean "equals-ignore-case"?'],
  [[{ 'anything-butt': 'x' }], '/0', 'did you mean "anything-but"?'],
  [[{ prefix: 3 }], '/0/prefix', 'must be a string, or {"equals-ignore-case": …}'],
  [[{ prefix: ['a'] }], '/0/prefix', 'must be a string, or'],
  [[{ prefix: { 'ignore-case': 'a' } }], '/0/prefix', 'the operator "ignore-case"'],
  [[{ suffix: { 'equals-ignore-case': 5 } }], '/0/suffix/equals-ignore-case', 'must be a string'],
  [[{ suffix: { 'equals-ignore-case': 'a', b: 'c' } }], '/0/suffix', 'must have one operator'],
  [[{ 'equals-ignore-case': ['abc'] }], '/0/equals-ignore-case', 'must be a string'],
  [[{ wildcard: 5 }], '/0/wildcard', 'must be a string'],
  [[{ wildcard: 'abc**def' }], '/0/wildcard', 'has two asterisks in a row'],
  [[{ wildcard: 'a*c\\def' }], '/0/wildcard', 'has a backslash that escapes neither'],
  [[{ wildcard: 'a\\' }], '/0/wildcard', 'has a backslash that escapes neither'],
  [[{ 'anything-but': [] }], '/0/anything-but', 'must not be an empty array'],
  [[{ 'anything-but': ['a', 1] }], '/0/anything-but', 'must contain only strings or only numbers'],
  [[{ 'anything-but': null }], '/0/anything-but', 'must contain only strings or only numbers'],
  [[{ 'anything-but': { numeric: ['=', 1] } }], '/0/anything-but', 'the operator "numeric"'],
  [[{ 'anything-but': { prefix: '' } }], '/0/anything-but/prefix', 'must be a string that is not empty'],
  [
    [{ 'anything-but': { suffix: ['a', ''] } }],
    '/0/anything-but/suffix/1',
    'must be a string that is not empty',
  ],
  [[{ 'anything-but': { prefix: [] } }], '/0/anything-but/prefix', 'must not be an empty array'],
  [[{ 'anything-but': { wildcard: ['a', 'b**'] } }], '/0/anything-but/wildcard/1', 'two asterisks'],
  [[{ exists: 'true' }], '/0/exists', 'must be true or false'],
  [[{ cidr: 'foo' }], '/0/cidr', 'must be a network in CIDR notation'],
  [[{ cidr: '10.0.0.0/33' }], '/0/cidr', 'must be a network in CIDR notation'],
  [[{ cidr: '10.0.0.0/32' }], '/0/cidr', 'is a single address: write it as a value'],
  [[{ cidr: '2001:db8::/128' }], '/0/cidr', 'is a single address'],
  [[{ numeric: 5 }], '/0/numeric', 'must be an array, such as [">", 0, "<=", 5]'],
  [[{ numeric: ['==', 1] }], '/0/numeric/0', 'must be "=", "<", "<=", ">" or ">="'],
  [[{ numeric: ['=', '1'] }], '/0/numeric/1', 'must be a number'],
  [[{ numeric: ['='] }], '/0/numeric', 'must have a number for each comparison'],
  [[{ numeric: ['<', 1, '>', 0] }], '/0/numeric', 'begin with ">" or ">="'],
  [[{ numeric: ['>', 1, '>', 3] }], '/0/numeric/2', 'must be "<" or "<="'],
  [[{ numeric: ['>', 1, '<', 30, false] }], '/0/numeric', 'no more than two comparisons'],
  [[{ numeric: ['>', 30, '<', 1] }], '/0/numeric', 'must have a lower bound below the upper one'],
  [[{ numeric: ['>', 1, '<', 1] }], '/0/numeric', 'must have a lower bound below the upper one'],
  // the guide, filtering-numeric-matching
  [[{ numeric: ['<', 5e9 + 1] }], '/0/numeric/1', 'must be a number from -5e9 to 5e9'],
  [[{ numeric: ['<', 1e-7] }], '/0/numeric/1', 'no more than six digits after the decimal point'],
  [[{ 'anything-but': [1, 6e9] }], '/0/anything-but/1', 'must be a number from -5e9 to 5e9'],
];

test.each(badValues)('refuses %j', (wanted, path, message) => {
  expect(findPatternProblems({ detail: { 'a/b': wanted } })).toEqual([
    { path: `/detail/a~1b${path}`, message: expect.stringContaining(message) },
  ]);
});

const twice = 'a second time: use a field once';

const badPatterns: readonly (readonly [pattern: unknown, path: string, message: string])[] = [
  [null, '', 'must be a JSON object'],
  [['a'], '', 'must be a JSON object'],
  [{}, '', 'must not be empty: name a field'],
  [{ detail: {} }, '/detail', 'must not be empty'],
  [{ a: ['x'.repeat(2_048)] }, '', 'has 2058 characters as JSON; EventBridge accepts at most 2048'],
  [{ $or: { a: [1] } }, '/$or', 'must be an array of at least two objects'],
  [{ $or: [{ a: [1] }] }, '/$or', 'must be an array of at least two objects'],
  [{ $or: [{ a: [1] }, 2] }, '/$or/1', 'must be an object with fields'],
  [{ $or: [{ a: [1] }, {}] }, '/$or/1', 'must not be empty'],
  [{ $or: [{ a: [1] }, { b: { prefix: ['a'] } }] }, '/$or/1/b/prefix', '"prefix" is a reserved name'],
  [{ a: [1], $or: [{ a: [2] }, { b: [1] }] }, '/$or/0/a', twice],
  [{ $or: [{ a: [2] }, { b: [1] }], 'a.b': [1] }, '/a.b', twice],
  [{ a: { b: [1] }, 'a.b': [1] }, '/a.b', twice],
];

test.each(badPatterns)('refuses %j, with its place', (pattern, path, message) => {
  expect(findPatternProblems(pattern)).toEqual([{ path, message: expect.stringContaining(message) }]);
});

test('counts the patterns that "$or" stands for: multiplied when adjacent, added when nested', () => {
  const either = (name: string, choices: number) =>
    Array.from({ length: choices }, (_, index) => ({ [name]: [index] }));
  const pattern = (choices: number) => ({
    x: { $or: either('a', 10) },
    y: { $or: either('b', 10) },
    z: { $or: either('c', choices) },
  });
  expect(findPatternProblems(pattern(10))).toEqual([]);
  expect(findPatternProblems(pattern(11))).toEqual([
    { path: '', message: 'expands to 1100 combinations through "$or"; EventBridge accepts at most 1000' },
  ]);
});

test('reports every problem with its place', () => {
  const problems = findPatternProblems({ a: 1, b: [{ prefix: 2 }, { sufix: 'x' }], c: {} });
  expect(problems.map(({ path }) => path)).toEqual(['/a', '/b/0/prefix', '/b/1', '/c']);
});

test('a stage on this machine accepts and refuses the same patterns', () => {
  const patterns = [
    ...valid,
    ...badValues.map(([wanted]) => ({ detail: { a: wanted } })),
    ...badPatterns.map(([one]) => one),
  ];
  const differing = patterns.filter(
    (pattern) => (findPatternProblem(pattern) === null) !== (findPatternProblems(pattern).length === 0),
  );
  expect(differing).toEqual([]);
});
