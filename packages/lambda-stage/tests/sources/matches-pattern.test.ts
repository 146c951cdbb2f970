import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../src/net/json.ts';
import { findPatternProblem } from '../../src/sources/pattern/find-pattern-problem.ts';
import { matchesPattern } from '../../src/sources/pattern/matches-pattern.ts';
import { matchesBySearch } from '../support/event-ruler-search.ts';

/** Sources of the facts in the tables. */
const sources = {
  readme: 'event-ruler, README.md',
  guide: 'EventBridge user guide, eb-create-pattern-operators.html',
  arrays: 'event-ruler, correctness-cases.json and README.md, "JSON Array Matching"',
  absence: 'event-ruler, NameState.java and ACMachineTest.java, testACWithExistFalseRule',
  compiler: 'event-ruler, JsonRuleCompiler.java',
  cidr: 'event-ruler, CIDR.java',
  dots: 'event-ruler, README.md, and EventBridge user guide, eb-create-pattern.html',
};

/** The state change of an instance, as the guide shows it. */
const instance = {
  source: 'aws.ec2',
  'detail-type': 'EC2 Instance State-change Notification',
  time: '2017-10-02T16:24:49Z',
  resources: ['arn:aws:ec2:us-east-1:123456789012:instance/i-000000aaaaaa00000'],
  detail: {
    'c-count': 5,
    'd-count': 3,
    'x-limit': 301.8,
    'source-ip': '10.0.0.33',
    'instance-id': 'i-000000aaaaaa00000',
    state: 'running',
    reason: null,
    isSpot: false,
    note: '',
    tags: [],
    path: 'dir/bin/a*b\\c.jar',
  },
};

type Case = readonly [wanted: JsonValue, field: string, isMatch: boolean];

/** Values of one field of the instance's detail. */
const fieldCases: readonly (readonly [source: string, ...Case])[] = [
  [sources.readme, ['initializing', 'running'], 'state', true],
  [sources.readme, ['stopped'], 'state', false],
  [sources.readme, ['Running'], 'state', false],
  [sources.guide, [null], 'reason', true],
  [sources.guide, [null], 'missing', false],
  [sources.guide, [''], 'note', true],
  [sources.guide, [''], 'reason', false],
  [sources.readme, [false], 'isSpot', true],
  [sources.readme, ['false'], 'isSpot', false],
  [sources.compiler, [301.8], 'x-limit', true],
  [sources.compiler, [3.018e2], 'x-limit', true],
  [sources.compiler, ['5'], 'c-count', false],
  [sources.readme, [{ prefix: 'run' }], 'state', true],
  [sources.readme, [{ prefix: 'Run' }], 'state', false],
  [sources.readme, [{ prefix: '5' }], 'c-count', false],
  [sources.readme, [{ prefix: { 'equals-ignore-case': 'RUN' } }], 'state', true],
  [sources.readme, [{ suffix: 'ning' }], 'state', true],
  [sources.readme, [{ suffix: 'NING' }], 'state', false],
  [sources.readme, [{ suffix: { 'equals-ignore-case': 'NING' } }], 'state', true],
  [sources.readme, [{ 'equals-ignore-case': 'RUNNing' }], 'state', true],
  [sources.readme, [{ 'equals-ignore-case': 'RUN' }], 'state', false],
  [sources.readme, [{ wildcard: '*/bin/*.jar' }], 'path', true],
  [sources.readme, [{ wildcard: '*' }], 'note', true],
  [sources.readme, [{ wildcard: 'run*ing' }], 'state', true],
  [sources.readme, [{ wildcard: 'runn*nning' }], 'state', false],
  [sources.readme, [{ wildcard: 'run' }], 'state', false],
  [sources.guide, [{ wildcard: '*a\\*b\\\\c*' }], 'path', true],
  [sources.guide, [{ wildcard: '*\\*c*' }], 'path', false],
  [sources.readme, [{ wildcard: '*' }], 'c-count', false],
  [sources.readme, [{ 'anything-but': 'initializing' }], 'state', true],
  [sources.readme, [{ 'anything-but': 'running' }], 'state', false],
  [sources.readme, [{ 'anything-but': ['stopped', 'running'] }], 'state', false],
  [sources.readme, [{ 'anything-but': 123 }], 'x-limit', true],
  [sources.readme, [{ 'anything-but': [100, 301.8] }], 'x-limit', false],
  [sources.compiler, [{ 'anything-but': [100, 301.8] }], 'state', true],
  [sources.compiler, [{ 'anything-but': 'running' }], 'reason', true],
  [sources.compiler, [{ 'anything-but': 'running' }], 'missing', false],
  [sources.readme, [{ 'anything-but': { prefix: 'init' } }], 'state', true],
  [sources.readme, [{ 'anything-but': { prefix: ['init', 'run'] } }], 'state', false],
  [sources.readme, [{ 'anything-but': { suffix: ['1234', '0000'] } }], 'instance-id', false],
  [sources.readme, [{ 'anything-but': { suffix: '1234' } }], 'instance-id', true],
  [sources.readme, [{ 'anything-but': { 'equals-ignore-case': 'Running' } }], 'state', false],
  [sources.readme, [{ 'anything-but': { 'equals-ignore-case': ['Stopped'] } }], 'state', true],
  [sources.readme, [{ 'anything-but': { wildcard: '*/bin/*.jar' } }], 'path', false],
  [sources.readme, [{ 'anything-but': { wildcard: ['*/lib/*', '*.class'] } }], 'path', true],
  [sources.readme, [{ numeric: ['>', 0, '<=', 5] }], 'c-count', true],
  [sources.readme, [{ numeric: ['>', 0, '<', 5] }], 'c-count', false],
  [sources.readme, [{ numeric: ['>=', 5] }], 'c-count', true],
  [sources.readme, [{ numeric: ['<', 10] }], 'd-count', true],
  [sources.readme, [{ numeric: ['=', 3.018e2] }], 'x-limit', true],
  [sources.readme, [{ numeric: ['>', 0] }], 'state', false],
  [sources.readme, [{ exists: true }], 'c-count', true],
  [sources.readme, [{ exists: true }], 'reason', true],
  [sources.readme, [{ exists: true }], 'missing', false],
  [sources.readme, [{ exists: true }], 'tags', false],
  [sources.readme, [{ exists: false }], 'missing', true],
  [sources.readme, [{ exists: false }], 'tags', true],
  [sources.readme, [{ exists: false }], 'reason', false],
  [sources.readme, [{ exists: false }, 'running'], 'state', true],
  [sources.readme, [{ exists: false }, 'stopped'], 'state', false],
  [sources.readme, [{ cidr: '10.0.0.0/24' }], 'source-ip', true],
  [sources.readme, [{ cidr: '10.0.1.0/24' }], 'source-ip', false],
  [sources.readme, [{ cidr: '10.0.0.0/8' }], 'state', false],
  [sources.readme, [{ cidr: '10.0.0.0/8' }], 'c-count', false],
];

test.each(fieldCases)('%s: %j for %s is %j', (_, wanted, field, isMatch) => {
  const pattern = { detail: { [field]: wanted } };
  expect(findPatternProblem(pattern)).toBeNull();
  expect(matchesPattern(pattern, instance)).toBe(isMatch);
});

/** Addresses: what is compared as an address, and in which notations. */
const addressCases: readonly (readonly [wanted: JsonValue, value: string, isMatch: boolean])[] = [
  ['2001:db8::1', '2001:0DB8:0:0::1', true],
  ['2001:db8::1', '2001:db8::2', false],
  ['10.0.0.1', '10.0.0.1', true],
  ['10.0.0.1', '10.0.0.12', false],
  [{ cidr: '2001:db8::/32' }, '2001:db8:ffff::', true],
  [{ cidr: '2001:db8::/32' }, '2001:db9::', false],
  [{ cidr: '0.0.0.0/0' }, '255.255.255.255', true],
  [{ cidr: '0.0.0.0/0' }, '255.255.255.256', false],
  [{ cidr: '0.0.0.0/0' }, '10.1', false],
  [{ cidr: '10.0.0.0/8' }, '::ffff:10.0.0.1', false],
  [{ cidr: '::/0' }, 'fe80::1%eth0', false],
];

test.each(addressCases)(`${sources.cidr}: %j for %s is %j`, (wanted, value, isMatch) => {
  expect(matchesPattern({ ip: [wanted] }, { ip: value })).toBe(isMatch);
});

/** Fields of objects in arrays. */
const arrayCases: readonly (readonly [name: string, pattern: JsonObject, event: JsonObject, boolean])[] = [
  ['any element', { tags: ['admin'] }, { tags: ['user', 'admin'] }, true],
  ['any element of a nested array', { tags: ['admin'] }, { tags: ['user', [['admin']]] }, true],
  ['no element', { tags: ['root'] }, { tags: ['user', 'admin'] }, false],
  ['any element is another', { tags: [{ 'anything-but': 'user' }] }, { tags: ['user', 'admin'] }, true],
  ['an object is no value', { tags: [{ exists: true }] }, { tags: [{ a: 1 }] }, false],
  ['a field of any element', { d: { a: [2] } }, { d: [{ a: 1 }, { a: 2 }] }, true],
  ['fields of one element', { d: { a: [1], b: [2] } }, { d: [{ a: 1 }, { a: 1, b: 2 }] }, true],
  ['fields of two elements', { d: { a: [1], b: [2] } }, { d: [{ a: 1 }, { b: 2 }] }, false],
  ['fields of one nested element', { d: { a: [1], b: [2] } }, { d: [[{ a: 1 }], [{ a: 1, b: 2 }]] }, true],
  ['fields of two nested elements', { d: { a: [1], b: [2] } }, { d: [[{ a: 1 }, { b: 2 }]] }, false],
  [
    'fields of one element at two depths',
    { d: { a: [1], i: { x: [2] } } },
    { d: [{ a: 1, i: [{ x: 1 }, { x: 2 }] }] },
    true,
  ],
  [
    'fields of two elements at two depths',
    { d: { a: [1], i: { x: [2] } } },
    { d: [{ a: 1 }, { i: { x: 2 } }] },
    false,
  ],
  ['two arrays in the event', { x: { a: [1] }, y: { a: [2] } }, { x: [{ a: 1 }], y: [{}, { a: 2 }] }, true],
  [
    'an array within an array’s element',
    { d: { tags: ['b'], n: [1] } },
    { d: [{ tags: ['a', 'b'], n: 1 }] },
    true,
  ],
  ['an empty array has no fields', { d: { a: [{ exists: true }] } }, { d: [] }, false],
];

test.each(arrayCases)(`${sources.arrays}: %s`, (_, pattern, event, isMatch) => {
  expect(matchesPattern(pattern, event)).toBe(isMatch);
});

const absent = { exists: false };
const absenceCases: readonly (readonly [name: string, pattern: JsonObject, event: JsonObject, boolean])[] = [
  ['an object at the path is no leaf', { a: [absent] }, { a: { b: 1 } }, true],
  ['in no element', { d: { b: [absent] } }, { d: [{ a: 1 }, {}] }, true],
  ['in all elements while none is chosen', { d: { b: [absent] } }, { d: [{ a: 1 }, { b: 2 }] }, false],
  ['in the element of an earlier field', { d: { a: [1], b: [absent] } }, { d: [{ a: 1 }, { b: 2 }] }, true],
  [
    'in all elements before a later field',
    { d: { a: [absent], b: [2] } },
    { d: [{ a: 1 }, { b: 2 }] },
    false,
  ],
  ['in the chosen element', { d: { a: [1], b: [absent] } }, { d: [{ a: 1, b: 2 }] }, false],
  ['or a value, none', { d: { b: [absent, 3] } }, { d: [{ a: 1 }, { b: 2 }] }, false],
  ['or a value, found', { d: { b: [absent, 2] } }, { d: [{ a: 1 }, { b: 2 }] }, true],
  ['of a whole object', { d: { a: { b: [absent] } } }, {}, true],
];

test.each(absenceCases)(`${sources.absence}: absence %s`, (_, pattern, event, isMatch) => {
  expect(matchesPattern(pattern, event)).toBe(isMatch);
});

describe(`${sources.readme}, "$or"`, () => {
  const pattern = {
    source: ['aws.cloudwatch'],
    $or: [
      { metricName: ['CPUUtilization'] },
      { metricType: ['M'], namespace: ['AWS/EC2'], $or: [{ metricId: [1234] }, { spaceId: [1000] }] },
      { scope: ['Service'] },
    ],
  };

  test.each([
    [{ metricName: 'CPUUtilization' }, true],
    [{ metricType: 'M', namespace: 'AWS/EC2', spaceId: 1000 }, true],
    [{ metricType: 'M', namespace: 'AWS/EC2' }, false],
    [{ scope: 'Service' }, true],
    [{}, false],
  ])('%j is %j', (fields, isMatch) => {
    expect(matchesPattern(pattern, { source: 'aws.cloudwatch', ...fields })).toBe(isMatch);
    expect(matchesPattern(pattern, { source: 'aws.s3', ...fields })).toBe(false);
  });

  test('one element of the array must match together with the fields beside it', () => {
    const within = { d: { a: [1] }, $or: [{ d: { b: [2] } }, { c: [3] }] };
    expect(matchesPattern(within, { d: [{ a: 1 }, { b: 2 }] })).toBe(false);
    expect(matchesPattern(within, { d: [{ a: 1, b: 2 }] })).toBe(true);
    expect(matchesPattern(within, { d: [{ a: 1 }], c: 3 })).toBe(true);
  });
});

test.each<readonly [JsonObject, JsonObject, boolean]>([
  [{ 'detail.state': ['running'] }, { detail: { state: 'running' } }, true],
  [{ 'detail.state': ['running'] }, { detail: { state: 'stopped' } }, false],
  [{ 'detail.state': ['running'] }, { 'detail.state': 'running' }, true],
  [{ detail: { 'state.code': [1] } }, { detail: { state: { code: 1 } } }, true],
  [{ detail: { state: { code: [1] } } }, { 'detail.state': { code: 1 } }, true],
  [{ detail: { state: { code: [1] } } }, { detail: { 'state.code': 1, state: 'running' } }, true],
  [{ detail: { state: ['running'] } }, { detail: { 'state.code': 1, state: 'running' } }, true],
  [{ 'a.b': [1] }, { 'a.b': 2, a: { b: 1 } }, true],
  [{ 'a.b': [2] }, { 'a.b': 2, a: { b: 1 } }, true],
  [{ 'a.b': [absent] }, { a: { b: 1 } }, false],
  [{ a: [1] }, { 'a.b': 1 }, false],
])(`${sources.dots}: %j and %j: %j`, (pattern, event, isMatch) => {
  expect(matchesPattern(pattern, event)).toBe(isMatch);
});

const scalar = fc.oneof(
  fc.string({ maxLength: 4 }),
  fc.integer({ min: -9, max: 9 }),
  fc.boolean(),
  fc.constant(null),
);
const key = fc.constantFrom('a', 'a-b', 'b', 'c', '__proto__');

test('a pattern made from an event matches it, and no event in which a field differs', () => {
  const object = fc.letrec<{ node: JsonValue; object: JsonObject }>((tie) => ({
    node: fc.oneof({ depthSize: 'small' }, scalar, tie('object')),
    object: fc.dictionary(key, tie('node'), { minKeys: 1, maxKeys: 3 }),
  })).object;
  const toPattern = (value: JsonObject): JsonObject =>
    Object.fromEntries(
      Object.entries(value).map(([name, field]) => [name, isObject(field) ? toPattern(field) : [field]]),
    );
  const change = (value: JsonObject): JsonObject => {
    const [[name, field] = ['a', null], ...others] = Object.entries(value);
    return Object.fromEntries([[name, isObject(field) ? change(field) : `${field} changed`], ...others]);
  };
  fc.assert(
    fc.property(object, (event) => {
      expect(matchesPattern(toPattern(event), event)).toBe(true);
      expect(matchesPattern(toPattern(event), change(event))).toBe(false);
    }),
    { numRuns: 100 },
  );
});

const isObject = (value: JsonValue): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

test('finds the same matches as a search by event-ruler’s definition', () => {
  const few = fc.constantFrom<JsonValue>(1, 2, 'x', null);
  const name = fc.constantFrom('a', 'a-b', 'b', 'c.a', 'c.b.a', 'c.b.b');
  const event = fc.letrec<{ node: JsonValue; object: JsonObject }>((tie) => ({
    node: fc.oneof({ maxDepth: 5 }, few, tie('object'), fc.array(tie('node'), { maxLength: 3 })),
    object: fc.dictionary(name, tie('node'), { maxKeys: 3 }),
  })).object;
  const wanted = fc.uniqueArray(
    fc.constantFrom<JsonValue>(1, 2, absent, { exists: true }, { 'anything-but': 1 }),
    {
      minLength: 1,
      maxLength: 2,
    },
  );
  const pattern = fc.letrec<{ node: JsonValue; object: JsonObject }>((tie) => ({
    node: fc.oneof({ maxDepth: 3 }, wanted, tie('object')),
    object: fc.dictionary(fc.oneof(name, fc.constant('c')), tie('node'), { minKeys: 1, maxKeys: 3 }),
  })).object;
  fc.assert(
    fc.property(pattern, event, (rule, value) => {
      fc.pre(findPatternProblem(rule) === null);
      expect(matchesPattern(rule, value)).toBe(matchesBySearch(rule, value));
    }),
    { numRuns: 300 },
  );
});

describe('worst-case events', () => {
  test('deep arrays are read to a limit', () => {
    let deep: JsonValue = [{ a: 1 }];
    for (let depth = 0; depth < 100_000; depth++) deep = [deep];
    expect(matchesPattern({ d: { a: [1, absent] } }, { d: deep })).toBe(true);
    expect(matchesPattern({ d: [{ exists: true }] }, { d: deep })).toBe(false);
  });

  test('each element is read once for absence and once for values', () => {
    let reads = 0;
    const element = {
      get a() {
        reads += 1;
        return 1;
      },
    };
    const elements = Array.from({ length: 100 }, () => element);
    const pattern = { d: { A: [absent], a: [1], b: [2] } };
    expect(matchesPattern(pattern, { d: [elements, [elements]] })).toBe(false);
    expect(reads).toBe(400);
  });

  test('a wildcard never backtracks', () => {
    const text = 'a'.repeat(200_000);
    expect(matchesPattern({ t: [{ wildcard: `${'a*'.repeat(500)}b` }] }, { t: text })).toBe(false);
  });
});
