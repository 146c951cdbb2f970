import {
  CatalogueError,
  emit,
  type JsonObject,
  NodeError,
  type NodeSettings,
  OUTBOUND_FAILED,
} from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { toFailure, toStrayFailure } from '../../lib/engine/failure.ts';
import { runGraph } from '../support/a-run.ts';

/** Runs a node that fails with these errors, and then succeeds. */
const runFailing = (settings: NodeSettings, ...errors: readonly Error[]) =>
  runGraph({
    nodes: {
      call: {
        pure: false,
        settings,
        does: (_node, _input, { attempt }) => {
          const error = errors[attempt - 1];
          if (error !== undefined) throw error;
          return { attempt };
        },
      },
      rescue: {},
    },
    edges: ['start -> call', ...(settings.onError === 'route' ? ['call.error -> rescue'] : [])],
    input: { order: 7 },
  });

describe('whatever a node throws becomes a failure:', () => {
  const unreadable = Object.defineProperty(new Error('no'), 'message', {
    get: () => {
      throw new Error('no message');
    },
  });

  test.each<[string, unknown, string, string]>([
    ['an error', new RangeError('too far'), 'RangeError', 'too far'],
    [
      'an error of the service',
      new CatalogueError(OUTBOUND_FAILED, { target: 'GET a.example', reason: 'it was reset' }),
      'OutboundFailed',
      'GET a.example failed: it was reset.',
    ],
    ['a text', 'no', 'Error', 'a node threw "no"'],
    ['nothing', undefined, 'Error', 'a node threw undefined'],
    ['null', null, 'Error', 'a node threw null'],
    ['a number', 404, 'Error', 'a node threw 404'],
    ['an object with a message', { message: 'no' }, 'Error', 'a node threw no'],
    ['an object without one', { message: 1 }, 'Error', 'a node threw an object that is not an Error'],
    ['an unreadable error', unreadable, 'Error', 'a node threw an error that cannot be described'],
  ])('%s', (_case, thrown, name, message) => {
    expect(toFailure(thrown)).toStrictEqual({ name, message });
  });

  // holds: S13
  test('has no secret, not even half of one where its text is cut', () => {
    const scrub = <Value>(value: Value): Value => String(value).replaceAll('canary', '[redacted]') as Value;
    const half = `${'x'.repeat(996)}canary`;
    const name = Object.assign(new Error(half), { name: 'canaryError' });
    expect(toFailure(name, scrub)).toEqual({
      name: '[redacted]Error',
      message: `${'x'.repeat(996)}[re…`,
    });
    expect(toFailure('a canary', scrub).message).toBe('a node threw "a [redacted]"');
    expect(toStrayFailure('UnhandledRejection', new TypeError('canary'), scrub)).toEqual({
      name: 'UnhandledRejection',
      message: 'TypeError: [redacted]',
    });
  });

  test('has at most 1,000 characters', () => {
    expect(toFailure(new Error('x'.repeat(1_000))).message).toBe('x'.repeat(1_000));
    expect(toFailure(new Error('x'.repeat(1_001))).message).toBe(`${'x'.repeat(999)}…`);
    expect(toStrayFailure('UncaughtException', new Error('x'.repeat(1_000))).message).toHaveLength(1_000);
  });
});

test.each<[string, unknown, string]>([
  ['null for an output', emit({ main: null as never }), '"main" is null'],
  ['a list for an output', emit({ side: [] as never }), '"side" is a list'],
  ['a text', 'done', '"main" is a string'],
  ['an instance of a class', new Map(), '"main" is an instance of Map'],
])('a node that returns %s fails', async (_case, result, message) => {
  const { failure } = await runGraph({
    nodes: { odd: { does: () => result as never } },
    edges: ['start -> odd'],
  });
  expect(failure).toMatchObject({
    name: 'TypeError',
    message: `a node must return a plain object for each output, but ${message}`,
  });
});

test.each([['main'], ['then']])('a node may return the key %j as data', async (key) => {
  const { output } = await runGraph({
    nodes: { odd: { does: { [key]: 'data' } } },
    edges: ['start -> odd'],
  });
  expect(output).toEqual({ [key]: 'data' });
});

test.each([undefined, null])('a node that returns %j delivers an empty object', async (result) => {
  const { output } = await runGraph({
    nodes: { quiet: { does: () => result as never } },
    edges: ['start -> quiet'],
    input: { a: 1 },
  });
  expect(output).toEqual({});
});

describe('a NodeError', () => {
  test('delivers its name and details on the output "error"', async () => {
    const error = new NodeError('no stock', { name: 'StockError', details: { left: 0 } });
    expect((await runFailing({ onError: 'route' }, error)).output).toEqual({
      order: 7,
      error: { nodeId: 'call', name: 'StockError', message: 'no stock', details: { left: 0 } },
    });
  });

  test('has its details in the record of its node, and not in the failure of the execution', async () => {
    const { failure, nodes } = await runFailing({}, new NodeError('no', { details: { left: 0 } }));
    expect(failure).toStrictEqual({ nodeId: 'call', name: 'NodeError', message: 'no' });
    expect(nodes[1]?.failure).toStrictEqual({ ...failure, details: { left: 0 } });
  });

  test('that is not retryable ends the attempts', async () => {
    const { nodes } = await runFailing(
      { retry: { maxAttempts: 5 } },
      new Error('busy'),
      new NodeError('gone', { isRetryable: false }),
    );
    expect(nodes[1]).toMatchObject({ attempts: 2, failure: { message: 'gone' } });
  });

  test('lengthens the delay before the next attempt, within maxDelaySeconds', async () => {
    const later = new NodeError('later', { retryAfterMs: 30_000 });
    const run = (settings: NodeSettings) => runFailing(settings, later);
    expect(await run({ retry: { maxAttempts: 2 } })).toMatchObject({ elapsedMs: 30_000 });
    expect(await run({ retry: { maxAttempts: 2, maxDelaySeconds: 5 } })).toMatchObject({ elapsedMs: 5_000 });
  });
});

describe('the failure of a NodeError', () => {
  const detailsOf = (details: unknown) =>
    toFailure(new NodeError('no', { details: details as JsonObject })).details;

  test('has frozen details', () => {
    expect(Object.isFrozen(detailsOf({ a: { b: 1 } })?.a)).toBe(true);
  });

  test('has no secret of a credential in its details', () => {
    const scrub = <Value>(value: Value): Value =>
      JSON.parse(JSON.stringify(value).replaceAll('canary', '[redacted]'));
    const { details } = toFailure(new NodeError('no', { details: { body: ['canary'] } }), scrub);
    expect(details).toEqual({ body: ['[redacted]'] });
    expect(Object.isFrozen(details?.body)).toBe(true);
  });

  test.each([
    ['secret and no JSON', { key: 1n, canary: 1 }, "NotJsonError: bigint at /key can't be carried by JSON"],
    ['too large', { text: 'x'.repeat(40_000) }, 'about 40012 bytes; at most 32768 are allowed'],
    ['no object', ['a'], 'no JSON object'],
    ['no JSON', { at: new Date(0) }, "NotJsonError: an instance of Date at /at can't be carried by JSON"],
  ])('has a note instead of details that are %s', (_case, details, omitted) => {
    expect(detailsOf(details)).toEqual({ omitted });
  });

  test('has details of up to 32,768 bytes', () => {
    const text = 'x'.repeat(32_768 - 2 - 'text'.length - 6);
    expect(detailsOf({ text })).toEqual({ text });
    expect(detailsOf({ text: `${text}x` })).toEqual({
      omitted: 'about 32769 bytes; at most 32768 are allowed',
    });
  });

  test('has the options that differ from the defaults', () => {
    expect(toFailure(new NodeError('no', { isRetryable: true, retryAfterMs: 5 }))).toStrictEqual({
      name: 'NodeError',
      message: 'no',
      retryAfterMs: 5,
    });
  });

  test('has no delay that is not a number of milliseconds', () => {
    expect(toFailure(new NodeError('no', { retryAfterMs: Number.NaN }))).not.toHaveProperty('retryAfterMs');
  });

  test('has no options when another error is thrown', () => {
    const error = Object.assign(new Error('no'), { isRetryable: false, details: { secret: 1 } });
    expect(toFailure(error)).toStrictEqual({ name: 'Error', message: 'no' });
  });

  test('keeps them when a plugin has its own copy of the class', () => {
    const own = Object.assign(new Error('no'), { isRetryable: false, [Symbol.for('hookloom.NodeError')]: 1 });
    expect(toFailure(own)).toStrictEqual({ name: 'Error', message: 'no', isRetryable: false });
  });
});
