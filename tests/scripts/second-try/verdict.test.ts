import { describe, expect, test } from '@jest/globals';
import { findFailures, judge, printFailure, type Report } from '../../../scripts/second-try/verdict.ts';

/** A report of files, each with its tests and their failures: null for a test that passes. */
const aReport = (files: Record<string, Record<string, string | null>>): Report => {
  const testResults = Object.entries(files).map(([name, tests]) => ({
    name,
    status: Object.values(tests).every((failure) => failure === null) ? 'passed' : 'failed',
    message: Object.values(tests).join('\n'),
    assertionResults: Object.entries(tests).map(([fullName, failure]) => ({
      fullName,
      status: failure === null ? 'passed' : 'failed',
      failureMessages: failure === null ? [] : [failure],
    })),
  }));
  return { success: testResults.every(({ status }) => status === 'passed'), testResults };
};

/** A report of a file that could not be loaded, or whose process has crashed. */
const unloaded = (name: string, message: string): Report => ({
  success: false,
  testResults: [{ name, status: 'failed', message, assertionResults: [] }],
});

const judged = (first: Report, second: Report | null) => {
  const { isGreen, flaky, failed } = judge(findFailures(first), second);
  return { isGreen, flaky: flaky.map(({ titles }) => titles), failed: failed.map(({ titles }) => titles) };
};

test('a test that passes in the second try is flaky, and the run is green', () => {
  const first = aReport({ '/a': { one: 'was slow', two: null } });
  expect(judged(first, aReport({ '/a': { one: null, two: null } }))).toEqual({
    isGreen: true,
    flaky: [['one']],
    failed: [],
  });
});

test.each([
  [2, true],
  [3, false],
])('with %i flaky tests, the run is green: %s', (count, isGreen) => {
  const names = ['one', 'two', 'three'].slice(0, count);
  const first = aReport({ '/a': Object.fromEntries(names.map((name) => [name, `${name} was slow`])) });
  const second = aReport({ '/a': Object.fromEntries(names.map((name) => [name, null])) });
  expect(judged(first, second)).toMatchObject({ isGreen, flaky: names.map((name) => [name]) });
});

test('a failure of a hook, which fails each test of a file, counts once', () => {
  const first = aReport({ '/a': { one: 'no start', two: 'no start', three: 'no start' } });
  expect(judged(first, aReport({ '/a': { one: null, two: null, three: null } }))).toEqual({
    isGreen: true,
    flaky: [['one', 'two', 'three']],
    failed: [],
  });
});

describe('the run is red if', () => {
  test('a test fails again', () => {
    const report = aReport({ '/a': { one: 'is wrong' } });
    expect(judged(report, report)).toEqual({ isGreen: false, flaky: [], failed: [['one']] });
  });

  test('another test of the file fails in the second try', () => {
    const first = aReport({ '/a': { one: 'was slow', two: null } });
    const second = aReport({ '/a': { one: null, two: 'was slow' } });
    expect(judged(first, second)).toEqual({ isGreen: false, flaky: [], failed: [['two']] });
  });

  test('a test is not in the second try', () => {
    const first = aReport({ '/a': { one: 'was slow', two: null } });
    expect(judged(first, aReport({ '/a': { two: null } }))).toMatchObject({
      isGreen: false,
      failed: [['one']],
    });
  });

  test('its file is not in the second try', () => {
    const first = aReport({ '/a': { one: 'was slow' }, '/b': { two: 'was slow' } });
    expect(judged(first, aReport({ '/b': { two: null } }))).toEqual({
      isGreen: false,
      flaky: [['two']],
      failed: [['one']],
    });
  });

  test('the second try has no report', () => {
    expect(judged(aReport({ '/a': { one: 'was slow' } }), null)).toMatchObject({ isGreen: false });
  });

  test('a file can’t be loaded in both', () => {
    const report = unloaded('/a', 'SyntaxError');
    expect(judged(report, report)).toEqual({ isGreen: false, flaky: [], failed: [[]] });
  });
});

test('a file that can be loaded in the second try is flaky', () => {
  const second = aReport({ '/a': { one: null } });
  expect(judged(unloaded('/a', 'its process has crashed'), second)).toMatchObject({
    isGreen: true,
    flaky: [[]],
  });
});

test('a failure is printed with its file, its test and the begin of its message', () => {
  const [failure] = findFailures(
    aReport({ '/project/tests/a.test.ts': { one: '\u001b[2mexpected\u001b[22m 1', two: null } }),
  );
  expect(failure && printFailure('FLAKY', failure, '/project')).toBe(
    'FLAKY  tests/a.test.ts › one\n  expected 1\n',
  );
});
