import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { unzipSync } from 'fflate';
import { connect } from '../../cli/target.ts';
import { type EmbeddedDynamoDb, startEmbeddedDynamoDb } from '../../scripts/local/embedded-dynamodb.ts';
import { seedSamples } from '../../scripts/local/seed.ts';
import { projectRoot, runCommand } from '../support/run-command.ts';

const adminFunctions = [
  'adminPlugins',
  'adminTriggers',
  'adminActions',
  'adminProviders',
  'adminHealth',
  'adminDebug',
];
const allFunctions = ['webhook', ...adminFunctions];
const KILOBYTE = 1_000;

interface Resource {
  readonly Type: string;
  readonly DeletionPolicy?: string;
  readonly Properties: Record<string, unknown>;
}

let folder: string;
let resources: Record<string, Resource>;
let database: EmbeddedDynamoDb;

const ofType = (type: string): [string, Resource][] =>
  Object.entries(resources).filter(([, resource]) => resource.Type === type);

const unzip = (name: string): [string, Uint8Array][] =>
  Object.entries(unzipSync(readFileSync(join(folder, `${name}.zip`))));

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hookloom-package-'));
  const { code, stdout, stderr } = await runCommand('serverless', ['package', '--package', folder]);
  if (code !== 0) throw new Error(`serverless package failed\n${stdout}\n${stderr}`);
  resources = JSON.parse(
    readFileSync(join(folder, 'cloudformation-template-update-stack.json'), 'utf8'),
  ).Resources;
  database = await startEmbeddedDynamoDb('hookloom-dev');
  const target = connect({ dynamodbEndpoint: database.endpoint, tablePrefix: 'hookloom-dev' });
  await seedSamples(target, 'a'.repeat(43));
  target.close();
}, 60_000);

afterAll(async () => {
  await database?.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('the zips', () => {
  test('there is one for each function', () => {
    const zips = readdirSync(folder).filter((name) => name.endsWith('.zip'));
    expect(zips.sort()).toEqual(allFunctions.map((name) => `${name}.zip`).sort());
  });

  test.each(allFunctions)('%s is one bundle and nothing else', (name) => {
    const files = unzip(name).map(([path]) => path);
    expect(files).toEqual([expect.stringMatching(/^functions\/.*\.cjs$/)]);
  });

  test.each(adminFunctions)('%s stays under 60 kB', (name) => {
    expect(unzip(name)[0]?.[1].byteLength).toBeLessThan(60 * KILOBYTE);
  });

  test('webhook stays under 600 kB', () => {
    expect(unzip('webhook')[0]?.[1].byteLength).toBeLessThan(600 * KILOBYTE);
  });

  test.each(allFunctions)('%s, unzipped alone, answers its sample event', async (name) => {
    const empty = mkdtempSync(join(tmpdir(), 'hookloom-alone-'));
    const [[path, bundle] = ['', new Uint8Array()]] = unzip(name);
    mkdirSync(join(empty, dirname(path)), { recursive: true });
    writeFileSync(join(empty, path), bundle);

    const event = readFileSync(join(projectRoot, `events/${name}.json`), 'utf8');
    const script = `require('./${path}').handler(${event}, { getRemainingTimeInMillis: () => 10000 })
      .then((answer) => require('node:fs').writeFileSync('answer.json', JSON.stringify(answer)))`;
    const { code, stdout, stderr } = await runCommand('node', ['-e', script], {
      cwd: empty,
      env: {
        STAGE: 'dev',
        SERVICE_VERSION: '0.0.0',
        AWS_REGION: 'local',
        TABLE_PREFIX: 'hookloom-dev',
        DYNAMODB_ENDPOINT: database.endpoint,
      },
    });
    expect({ code, stdout, stderr: stderr.trim() }).toMatchObject({ code: 0, stderr: '' });
    const answer = JSON.parse(readFileSync(join(empty, 'answer.json'), 'utf8'));
    rmSync(empty, { recursive: true });
    expect(answer.statusCode).toBe(200);
    if (name === 'webhook') expect(JSON.parse(answer.body)).toEqual({ greeting: 'Hello, Ada' });
  });
});

describe('the template', () => {
  test('every function runs on arm64 with the newest Node, under a role of its own', () => {
    const functions = ofType('AWS::Lambda::Function');
    expect(functions).toHaveLength(allFunctions.length);
    for (const [, { Properties }] of functions) {
      expect(Properties).toMatchObject({ Runtime: 'nodejs24.x', Architectures: ['arm64'] });
    }
    const roles = functions.map(([, { Properties }]) => JSON.stringify(Properties.Role));
    expect(new Set(roles).size).toBe(functions.length);
  });

  test('no role allows everything, neither an action nor a resource', () => {
    const roles = ofType('AWS::IAM::Role');
    expect(roles).toHaveLength(allFunctions.length);
    for (const [, { Properties }] of roles) {
      expect(JSON.stringify(Properties)).not.toContain('*');
      expect(Properties).not.toHaveProperty('ManagedPolicyArns');
    }
  });

  test('only the webhook function reaches the tables, and only with what it does there', () => {
    const actions = ofType('AWS::IAM::Role').flatMap(([name, role]) =>
      (JSON.stringify(role).match(/dynamodb:\w+/g) ?? []).map((action) => `${name} ${action}`),
    );
    expect(actions).toEqual([
      'WebhookRole dynamodb:GetItem',
      'WebhookRole dynamodb:PutItem',
      'WebhookRole dynamodb:UpdateItem',
    ]);
  });

  test('every admin route asks for IAM, and only the webhook routes are open', () => {
    const authorization = Object.fromEntries(
      ofType('AWS::ApiGatewayV2::Route').map(([, { Properties }]) => [
        Properties.RouteKey,
        Properties.AuthorizationType ?? 'NONE',
      ]),
    );
    expect(authorization).toEqual({
      'ANY /api/webhook/{workflowId}': 'NONE',
      'ANY /api/webhook/{workflowId}/{path+}': 'NONE',
      'GET /api/admin/plugins': 'AWS_IAM',
      'GET /api/admin/plugins/triggers': 'AWS_IAM',
      'GET /api/admin/plugins/actions': 'AWS_IAM',
      'GET /api/admin/plugins/providers': 'AWS_IAM',
      'GET /api/admin/plugins/health': 'AWS_IAM',
      'GET /api/admin/plugins/debug': 'AWS_IAM',
      'GET /api/admin/debug': 'AWS_IAM',
    });
  });

  test('the gateway throttles, logs without secrets, and leaves CORS to the workflows', () => {
    const [[, stage]] = ofType('AWS::ApiGatewayV2::Stage') as [[string, Resource]];
    expect(stage.Properties.DefaultRouteSettings).toMatchObject({
      ThrottlingRateLimit: expect.any(Number),
      ThrottlingBurstLimit: expect.any(Number),
    });
    const { Format } = stage.Properties.AccessLogSettings as { Format: string };
    expect(JSON.parse(Format)).toHaveProperty('requestId');
    expect(Format).not.toMatch(/header|authori[sz]er|querystring|\$context\.path/i);
    const [[, api]] = ofType('AWS::ApiGatewayV2::Api') as [[string, Resource]];
    expect(api.Properties).not.toHaveProperty('CorsConfiguration');
  });

  test('tables cost nothing while idle, can be restored, and outlive the stack', () => {
    const tables = ofType('AWS::DynamoDB::Table');
    expect(tables).toHaveLength(4);
    for (const [, table] of tables) {
      expect(table).toMatchObject({
        DeletionPolicy: 'Retain',
        Properties: {
          BillingMode: 'PAY_PER_REQUEST',
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        },
      });
    }
    expect(resources.ExecutionsTable?.Properties.TimeToLiveSpecification).toEqual({
      AttributeName: 'expiresAt',
      Enabled: true,
    });
  });

  test('every log is kept for a limited time', () => {
    for (const [, { Properties }] of ofType('AWS::Logs::LogGroup')) {
      expect(Properties.RetentionInDays).toBeGreaterThan(0);
    }
  });
});
