import { runInNewContext } from 'node:vm';
import type { ExecutionInfo } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { createLogger, forExecution, type LoggerOptions } from '../../../lib/adapters/runtime/logger.ts';
import { NOT_FOUND } from '../../../lib/shared/error-catalogue.ts';
import { AppError } from '../../../lib/shared/errors.ts';
import { measure } from '../../../lib/shared/metrics.ts';
import { redactField } from '../../../lib/shared/secrets/secret-shapes.ts';
import { aManualClock } from '../../support/a-manual-clock.ts';
import { readEmbeddedMetrics, sumMetrics } from '../../support/embedded-metrics.ts';

const anExecution: ExecutionInfo = {
  executionId: 'e-1',
  workflowId: 'w',
  workflowVersion: 1,
  stage: 'test',
  trigger: { nodeId: 'start', type: 'manualTrigger' },
  startedAt: '2026-01-01T00:00:00.000Z',
};

const aLogger = (options: LoggerOptions = {}) => {
  const lines: string[] = [];
  const logger = createLogger({ clock: aManualClock(), write: (line) => lines.push(line), ...options });
  return { logger, lines, entries: () => lines.map((line) => JSON.parse(line)) };
};

/** What one entry with these fields looks like. */
const logged = (fields: Readonly<Record<string, unknown>>) => {
  const { logger, lines } = aLogger();
  logger.info('hello', fields);
  expect(lines).toHaveLength(1);
  return JSON.parse(lines[0] ?? '');
};

describe('the logger', () => {
  test('writes one JSON line per entry, the most important fields first', () => {
    const { logger, lines } = aLogger();
    logger.info('one\ntwo', { nodeId: 'a' });
    expect(lines).toEqual([
      '{"time":"2023-11-14T22:13:20.000Z","level":"info","message":"one\\ntwo","nodeId":"a"}',
    ]);
  });

  test.each([
    ['debug', ['debug', 'info', 'warn', 'error']],
    ['info', ['info', 'warn', 'error']],
    ['warn', ['warn', 'error']],
    ['error', ['error']],
    ['off', []],
  ] as const)('at level %s writes %j', (level, expected) => {
    const { logger, entries } = aLogger({ level });
    for (const each of ['debug', 'info', 'warn', 'error'] as const) logger[each](each);
    expect(entries().map((entry) => entry.level)).toEqual(expected);
    expect(entries().map((entry) => entry.message)).toEqual(expected);
  });

  test('drops debug entries by default', () => {
    const { logger, lines } = aLogger();
    logger.debug('hello');
    expect(lines).toEqual([]);
  });

  test('fields cannot overwrite time, level and message', () => {
    const { logger, entries } = aLogger({ fields: { level: 'x', message: 'x' } });
    logger.warn('hello', { time: 'x', level: 'x', message: 'x' });
    expect(entries()).toEqual([{ time: '2023-11-14T22:13:20.000Z', level: 'warn', message: 'hello' }]);
  });

  test('puts its own fields on every entry; fields of the entry win', () => {
    const { logger, entries } = aLogger({ fields: { service: 'webhook', a: 1 } });
    logger.error('hello', { a: 2 });
    expect(entries()).toMatchObject([{ service: 'webhook', a: 2 }]);
  });

  test('the logger of an execution adds its fields at every level', () => {
    const { logger, entries } = aLogger({ level: 'debug' });
    const tagged = forExecution(logger, anExecution);
    for (const level of ['debug', 'info', 'warn', 'error'] as const)
      tagged[level]('hello', { workflowVersion: 2 });
    tagged.info('bare');
    expect(
      entries().map(({ level, executionId, workflowVersion }) => [level, executionId, workflowVersion]),
    ).toEqual([
      ['debug', 'e-1', 2],
      ['info', 'e-1', 2],
      ['warn', 'e-1', 2],
      ['error', 'e-1', 2],
      ['info', 'e-1', 1],
    ]);
  });
});

describe('logged values', () => {
  test('errors have code and causes, but no stack', () => {
    const error = new AppError(NOT_FOUND, {}, new TypeError('inner', { cause: 'root' }));
    expect(logged({ error })).toMatchObject({
      error: {
        name: 'AppError',
        message: 'No enabled workflow listens at this address.',
        code: 'NOT_FOUND',
        cause: { name: 'TypeError', message: 'inner', cause: 'root' },
      },
    });
    expect(JSON.stringify(logged({ error }))).not.toContain('logger.test.ts');
  });

  test('errors of another realm, and nested errors, are logged as errors', () => {
    expect(logged({ a: [{ error: runInNewContext('new RangeError("far")') }] })).toMatchObject({
      a: [{ error: { name: 'RangeError', message: 'far' } }],
    });
  });

  test('bigints are logged as text', () => {
    expect(logged({ big: 12_345_678_901_234_567_890n })).toMatchObject({ big: '12345678901234567890' });
  });

  test('what JSON cannot represent is left out or null, as JSON does it', () => {
    const entry = logged({ none: undefined, symbol: Symbol('x'), run: () => 1, nan: Number.NaN });
    expect(entry).toEqual({ time: expect.any(String), level: 'info', message: 'hello', nan: null });
  });

  test('secrets are redacted by name and by form where redaction is on', () => {
    const { logger, entries } = aLogger({ redact: redactField });
    const token = `ghp${'_'}aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3gH6`;
    const error = new Error(`GET https://ann:canary@example.com with ${token}`, { cause: `Bearer ${token}` });
    logger.warn(`sent ${token}`, {
      cvv: 123,
      hasPin: true,
      list: [{ client_secret: 'canary', pinned: 'a' }],
      error,
    });
    expect(entries()).toMatchObject([
      {
        message: 'sent [redacted]',
        cvv: '[redacted]',
        hasPin: true,
        list: [{ client_secret: '[redacted]', pinned: 'a' }],
        error: {
          message: 'GET https://ann:[redacted]@example.com with [redacted]',
          cause: 'Bearer [redacted]',
        },
      },
    ]);
  });

  test('circular references are replaced by a note, and the other fields stay', () => {
    const circle: { self?: unknown } = {};
    circle.self = circle;
    const loop = new Error('loop');
    loop.cause = loop;
    expect(logged({ circle, loop, a: 1, error: new Error('kept'), none: undefined })).toMatchObject({
      message: 'hello',
      circle: '[cannot be written as JSON]',
      loop: '[cannot be written as JSON]',
      a: 1,
      error: { message: 'kept' },
    });
  });

  test('values that throw when read are replaced', () => {
    const hostile = {
      get value() {
        throw new Error('no');
      },
    };
    const toJSON = () => {
      throw new Error('no');
    };
    expect(logged({ hostile, json: { toJSON }, a: 1 })).toMatchObject({
      hostile: '[cannot be written as JSON]',
      json: '[cannot be written as JSON]',
      a: 1,
    });
  });

  test('are not evaluated below the level', () => {
    const failing = (): never => {
      throw new Error('broken pipe');
    };
    const fields = {
      get a() {
        return failing();
      },
    };
    expect(() => aLogger({ write: failing }).logger.error('hello')).not.toThrow();
    expect(() => aLogger({ clock: { now: failing } }).logger.error('hello')).not.toThrow();
    expect(() => aLogger({ clock: { now: () => Number.NaN } }).logger.error('hello')).not.toThrow();
    expect(() => aLogger().logger.error('hello', fields)).not.toThrow();
  });
});

describe('an entry with metrics', () => {
  const started = { values: { ExecutionsStarted: 1 } } as const;
  const ended = { values: { ExecutionsFailed: 1, ExecutionDuration: 12 }, by: 'workflowId' } as const;

  test('ends with the definitions of its metrics', () => {
    const { logger, lines } = aLogger({ namespace: 'shop-dev' });
    logger.info('request', { workflowId: 'orders', ...measure(started, ended) });
    expect(lines.flatMap(readEmbeddedMetrics)).toEqual(
      [
        { name: 'ExecutionsStarted', unit: 'Count', dimensions: {}, value: 1 },
        { name: 'ExecutionsFailed', unit: 'Count', dimensions: {}, value: 1 },
        { name: 'ExecutionsFailed', unit: 'Count', dimensions: { workflowId: 'orders' }, value: 1 },
        { name: 'ExecutionDuration', unit: 'Milliseconds', dimensions: {}, value: 12 },
        { name: 'ExecutionDuration', unit: 'Milliseconds', dimensions: { workflowId: 'orders' }, value: 12 },
      ].map((datum) => ({ namespace: 'shop-dev', ...datum })),
    );
  });

  test('has the time of the entry', () => {
    const { logger, entries } = aLogger({ namespace: 'shop-dev' });
    logger.info('request', measure(started));
    expect(entries()).toMatchObject([{ _aws: { Timestamp: 1_700_000_000_000 } }]);
  });

  test('also works through a logger with more fields, and with a field that cannot be written', () => {
    const { logger, lines } = aLogger({ namespace: 'shop-dev' });
    const circle: Record<string, unknown> = {};
    circle.circle = circle;
    forExecution(logger, anExecution).info('request', { ...measure(started), circle });
    expect(sumMetrics(lines)).toEqual({ ExecutionsStarted: 1 });
  });

  test('is written below the level, and no other entry is', () => {
    const { logger, lines } = aLogger({ namespace: 'shop-dev', level: 'error' });
    logger.info('request', measure(started));
    logger.info('request');
    expect(sumMetrics(lines)).toEqual({ ExecutionsStarted: 1 });
    expect(lines).toHaveLength(1);
  });

  test('is not written where the log is off', () => {
    const { logger, lines } = aLogger({ namespace: 'shop-dev', level: 'off' });
    logger.error('request', measure(started));
    expect(lines).toEqual([]);
  });

  test('measures nothing without a namespace', () => {
    const { logger, lines } = aLogger({ level: 'error' });
    logger.info('request', measure(started));
    expect(lines).toEqual([]);
  });

  test.each([
    ['at an ordinary entry', {}],
    ['at one that measures', measure(started)],
  ])('has no field that passes for definitions, %s', (_where, fields) => {
    const { logger, lines } = aLogger({ namespace: 'shop-dev', fields: { _aws: {} } });
    const foreign = { Namespace: 'theirs', Dimensions: [[]], Metrics: [{ Name: 'n' }] };
    logger.info('hello', { ...fields, n: 1, _aws: { Timestamp: 1, CloudWatchMetrics: [foreign] } });
    expect(lines.flatMap(readEmbeddedMetrics).filter(({ namespace }) => namespace === 'theirs')).toEqual([]);
  });
});
