import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { readServiceFile } from '../../functions/service-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookloom-file-'));
  writeFileSync(join(folder, 'package.json'), '{"version":"1.2.3"}');
});
afterEach(() => rmSync(folder, { recursive: true }));

const read = (lines: readonly string[]) => {
  writeFileSync(join(folder, 'serverless.yml'), lines.join('\n').replaceAll('§', '$'));
  return readServiceFile(folder, { REGION: 'eu-west-1' });
};

const file = [
  'service: shop',
  'provider:',
  '  timeout: 10',
  '  environment: { STAGE: "§{sls:stage}", VERSION: "§{file(./package.json):version}", LOG_LEVEL: info }',
  'custom:',
  '  tablePrefix: §{self:service}-§{sls:stage}',
  '  store: &store { TABLE_PREFIX: "§{self:custom.tablePrefix}" }',
  '  blobs: &blobs { BUCKET: !Ref Bucket }',
  '  esbuild: { minify: true, format: cjs, outputFileExtension: .cjs, skipRebuild: true, external: [pg] }',
  'functions:',
  '  one:',
  '    handler: functions/admin/one.handler',
  '    timeout: 29',
  '    environment: { <<: [*store, *blobs], LOG_LEVEL: debug, URL: !Sub "https://§{Api}" }',
  '    events:',
  '      - httpApi: { method: "*", path: "/one/{name+}" }',
  '      - httpApi: GET /two',
  '      - httpApi: { method: GET, path: /three, authorizer: { type: aws_iam } }',
  '      - schedule: rate(5 minutes)',
  '      - httpApi: "*"',
  '  other:',
  '    handler: functions/other.main',
];

test('functions have their module, timeout and environment', () => {
  const { functions, tablePrefix } = read(file);
  const shared = { STAGE: 'dev', VERSION: '1.2.3' };
  expect(tablePrefix).toBe('shop-dev');
  expect(functions).toEqual([
    {
      key: 'one',
      module: 'functions/admin/one',
      exportName: 'handler',
      timeoutSeconds: 29,
      environment: {
        ...shared,
        LOG_LEVEL: 'debug',
        TABLE_PREFIX: 'shop-dev',
        BUCKET: undefined,
        URL: undefined,
      },
    },
    {
      key: 'other',
      module: 'functions/other',
      exportName: 'main',
      timeoutSeconds: 10,
      environment: { ...shared, LOG_LEVEL: 'info' },
    },
  ]);
});

test('routes are read in all forms', () => {
  expect(read(file).routes).toEqual([
    { event: '* /one/{name+}', functionKey: 'one' },
    { event: 'GET /two', functionKey: 'one' },
    { event: 'GET /three', functionKey: 'one', isPrivate: true },
    { event: '*', functionKey: 'one' },
  ]);
});

test('build options are read without those of the framework', () => {
  const { esbuild, bundleExtension } = read(file);
  expect(bundleExtension).toBe('.cjs');
  expect(esbuild).toEqual({
    bundle: true,
    platform: 'node',
    minify: true,
    format: 'cjs',
    external: ['pg', 'aws-sdk'],
  });
});

test('every function of this project is read', () => {
  const { functions, routes, tablePrefix } = readServiceFile(join(import.meta.dirname, '../../../..'));
  expect(tablePrefix).toBe('hookloom-dev');
  expect(functions.map(({ key }) => key)).toEqual(expect.arrayContaining(['webhook', 'runDurable', 'sweep']));
  expect(functions.find(({ key }) => key === 'webhook')).toMatchObject({
    module: 'functions/webhook',
    timeoutSeconds: 29,
    environment: { TABLE_PREFIX: 'hookloom-dev', RUN_EXPRESS_FUNCTION: 'hookloom-dev-runExpress' },
  });
  expect(routes).toContainEqual({
    event: '* /api/webhook/{workflowId}/{path+}',
    functionKey: 'webhook',
  });
});

test('all routes of this project are private except webhooks and callbacks', () => {
  const { routes } = readServiceFile(join(import.meta.dirname, '../../../..'));
  const open = routes.filter(({ isPrivate }) => isPrivate !== true).map(({ event }) => event);
  expect(open).toEqual([
    '* /api/webhook/{workflowId}',
    '* /api/webhook/{workflowId}/{path+}',
    '* /api/webhook-callback/{token}',
  ]);
});
