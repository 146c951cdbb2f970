import { describe, expect, test } from '@jest/globals';
import { readConfig } from '../../lib/app/config.ts';

describe('the configuration', () => {
  test('has a default for everything', () => {
    expect(readConfig({})).toEqual({
      stage: 'dev',
      version: '0.0.0',
      logLevel: 'info',
      disabledPlugins: [],
      pluginDeadlineMs: 2_000,
      workflowCacheMs: 5_000,
      workflowRole: null,
      maxBodyBytes: 6_291_456,
      maxBodyDepth: 100,
      maxFileBytes: 1_073_741_824,
      maxFiles: 1_000,
      requestRetentionDays: 7,
      retentionDays: 30,
      noticesPrintedAt: null,
      outboundAllow: [],
      outboundLimits: [],
      tablePrefix: null,
      dynamodbEndpoint: null,
      region: 'us-east-1',
      lambdaEndpoint: null,
      dispatchFunction: null,
      durableFunction: null,
      expressFunction: null,
      traces: null,
      traceRatio: 1,
      traceHeaders: null,
      hasAlarms: false,
      blobBucket: null,
      blobFolder: null,
      uploadEndpoint: null,
      secretsFolder: null,
      sourcesEndpoint: null,
      retryFunction: null,
      sweepFunction: null,
      eventBus: null,
      publicUrl: null,
      deduplicationWindowMs: 86_400_000,
      printsCallbacks: false,
      ownsProcess: false,
    });
  });

  test('is read from the environment', () => {
    const config = readConfig({
      LOG_LEVEL: 'debug',
      DISABLED_PLUGINS: ' a, b ,,',
      WORKFLOW_CACHE_SECONDS: '0',
      OUTBOUND_ALLOW: '10.0.0.0/8',
      OUTBOUND_LIMITS: 'api.example.com=10/s, *.example.com=5',
      TABLE_PREFIX: 'x-dev',
      RETENTION_DAYS: '',
    });
    expect(config).toMatchObject({
      logLevel: 'debug',
      disabledPlugins: ['a', 'b'],
      workflowCacheMs: 0,
      outboundAllow: ['10.0.0.0/8'],
      outboundLimits: ['api.example.com=10/s', '*.example.com=5'],
      tablePrefix: 'x-dev',
      requestRetentionDays: 7,
      retentionDays: 30,
    });
  });

  test.each([
    ['LOG_LEVEL', 'loud', 'LOG_LEVEL must be one of debug, info, warn, error, off'],
    ['PLUGIN_DEADLINE_MS', '0', 'PLUGIN_DEADLINE_MS must be an integer from 1 to 60000'],
    ['MAX_BODY_BYTES', '1.5', 'MAX_BODY_BYTES must be an integer from 1 to 6291456'],
    ['MAX_FILE_BYTES', '0', 'MAX_FILE_BYTES must be an integer from 1 to 50000000000'],
    ['MAX_FILES', 'many', 'MAX_FILES must be an integer from 1 to 1000000'],
    ['RETENTION_DAYS', 'secret', 'RETENTION_DAYS must be an integer from 1 to 3650'],
  ])('says what %s must be, and not what it is', (name, value, reason) => {
    expect(() => readConfig({ [name]: value })).toThrow(`The configuration is invalid: ${reason}.`);
  });

  test('recognises repeated deliveries no longer than records are kept', () => {
    const env = { RETENTION_DAYS: '2', DEDUPLICATION_WINDOW_SECONDS: '172800' };
    expect(readConfig(env).deduplicationWindowMs).toBe(172_800_000);
    expect(() => readConfig({ ...env, DEDUPLICATION_WINDOW_SECONDS: '172801' })).toThrow(
      'DEDUPLICATION_WINDOW_SECONDS must be an integer from 1 to 172800',
    );
  });

  test.each([
    ['none', null],
    ['', null],
    ['shop', 'shop'],
  ])('publishes completion events to the bus %j', (EVENT_BUS, eventBus) => {
    expect(readConfig({ EVENT_BUS }).eventBus).toBe(eventBus);
  });
});
