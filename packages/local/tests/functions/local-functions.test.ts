import { describe, expect, test } from '@jest/globals';
import { createLocalFunctions } from '../../functions/local-functions.ts';

const definition = {
  key: 'webhook',
  module: 'functions/webhook',
  exportName: 'handler',
  timeoutSeconds: 29,
  environment: { STAGE: 'dev', LOG_LEVEL: 'info', TABLE_PREFIX: 'shop-dev', BLOB_BUCKET: undefined },
};

const local = { fixed: { DYNAMODB_ENDPOINT: 'http://x' }, initial: { PUBLIC_URL: 'http://y' } };

const functionsWith = (inherited: Record<string, string> = {}, current = '/out/webhook-1.cjs') =>
  createLocalFunctions({
    definitions: [definition],
    modules: { find: async (module) => `/out/${module}.cjs`, current: () => current },
    environment: Promise.resolve(local),
    inherited,
  });

const environmentWith = async (inherited: Record<string, string>) =>
  (await functionsWith(inherited).find('webhook')).environment;

describe('a function', () => {
  test('has its code, its timeout and its environment', async () => {
    expect(await functionsWith().find('webhook')).toEqual({
      key: 'webhook',
      file: '/out/functions/webhook.cjs',
      exportName: 'handler',
      timeoutMs: 29_000,
      environment: {
        STAGE: 'dev',
        LOG_LEVEL: 'info',
        TABLE_PREFIX: 'shop-dev',
        DYNAMODB_ENDPOINT: 'http://x',
        PUBLIC_URL: 'http://y',
      },
    });
  });

  test('that is not in serverless.yml does not exist', async () => {
    await expect(functionsWith().find('other')).rejects.toThrow(
      'there is no function other in serverless.yml',
    );
  });

  test('is current while its file is', async () => {
    const version = await functionsWith().find('webhook');
    expect(functionsWith({}, version.file).isCurrent(version)).toBe(true);
    expect(functionsWith({}, '/out/webhook-2.cjs').isCurrent(version)).toBe(false);
  });
});

describe('the environment of the service', () => {
  test('overrides serverless.yml, even with an empty value, since the process has it already', async () => {
    const environment = await environmentWith({ LOG_LEVEL: '', PUBLIC_URL: 'https://tunnel', OTHER: 'x' });
    expect(Object.keys(environment).sort()).toEqual(['DYNAMODB_ENDPOINT', 'STAGE', 'TABLE_PREFIX']);
  });

  test('does not change internal settings of the service', async () => {
    expect(await environmentWith({ TABLE_PREFIX: 'x', STAGE: 'x', DYNAMODB_ENDPOINT: 'x' })).toMatchObject({
      TABLE_PREFIX: 'shop-dev',
      STAGE: 'dev',
      DYNAMODB_ENDPOINT: 'http://x',
    });
  });
});
