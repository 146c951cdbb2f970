import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createJsonClient } from '../../lib/adapters/dynamodb/json-client.ts';
import { tableNames } from '../../lib/adapters/dynamodb/table-names.ts';
import {
  type EmbeddedDynamoDb,
  startEmbeddedDynamoDb,
} from '../../packages/local/database/embedded-dynamodb.ts';
import { openSampleStores } from '../../packages/local/samples/sample-stores.ts';
import { putSample, seedSamples } from '../../packages/local/samples/seed.ts';
import { anExecutionStart } from '../support/a-start.ts';
import type { Template } from '../support/check-template.ts';
import { openPackagedFunction, type PackagedFunction } from '../support/packaged-function.ts';
import { projectRoot } from '../support/run-command.ts';
import { runFramework } from '../support/run-framework.ts';
import { summarizeTemplate } from '../support/summarize-template.ts';
import { openTestStores } from '../support/test-database.ts';
import { describeCheckTemplate } from './check-template.ts';
import { describeTemplateRules } from './template-rules.ts';
import { describeTriggerResources } from './trigger-resources.ts';

// What is deployed is in the snapshot, for reviews; template-rules.ts has what holds for any template. After an intended
// change: npm run test:deep -- tests/deep/package.test.ts --updateSnapshot

/** What each function answers to its sample event, unzipped on its own, in front of a store with the samples in it. */
const answers: Record<string, unknown> = {
  webhook: { statusCode: 200, body: '{"greeting":"Hello, Ada"}' },
  webhookCallback: { statusCode: 404 },
  runDurable: { Status: 'SUCCEEDED' },
  runExpress: null,
  sweep: { batchItemFailures: [] },
  dispatch: { batchItemFailures: [] },
  sweepRegistrations: null,
  aggregate: { state: {} },
  retryExecutions: null,
  adminExecutions: { statusCode: 200 },
  adminExecution: { statusCode: 404 },
  adminRetryExecution: { statusCode: 404 },
  adminBulkRetries: { statusCode: 200 },
  adminCancelExecution: { statusCode: 404 },
  adminRunWorkflow: { statusCode: 404 },
  adminRequests: { statusCode: 200 },
  adminSendAgain: { statusCode: 404 },
  adminApprovals: { statusCode: 200 },
  adminWorkflows: { statusCode: 200 },
  adminEditWorkflows: { statusCode: 200 },
  adminTryNode: {
    statusCode: 200,
    body: expect.stringContaining('"outputs":{"main":{"greeting":"Hello Ada"}}'),
  },
  adminCredentials: { statusCode: 201 },
  adminPlugins: { statusCode: 200, body: expect.not.stringContaining('"loaded":false') },
  adminPlugin: { statusCode: 200 },
  adminTriggers: { statusCode: 200 },
  adminActions: { statusCode: 200 },
  adminProviders: { statusCode: 200 },
  adminHealth: { statusCode: 200, body: expect.stringContaining('"checks":{"store":{"status":"healthy"},') },
  adminDebug: { statusCode: 200 },
  adminTypes: { statusCode: 200 },
  adminStatistics: { statusCode: 200, body: expect.stringContaining('"workflowId":"hello"') },
  adminSettings: { statusCode: 200 },
  adminState: { statusCode: 200 },
};
const allFunctions = Object.keys(answers);
const KILOBYTE = 1_000;

/** Of the bundles of functions that run workflows or list plugins; 59 for any other. */
const maxKilobytes: Readonly<Record<string, number>> = {
  webhook: 181,
  webhookCallback: 60,
  runExpress: 153,
  runDurable: 252,
  adminExecution: 117,
  adminExecutions: 74,
  sweep: 64,
  adminCancelExecution: 76,
  adminApprovals: 70,
  adminRequests: 76,
  adminRetryExecution: 153,
  adminRunWorkflow: 123,
  dispatch: 120,
  sweepRegistrations: 134, // with what it reads to find silence
  adminSendAgain: 150,
  adminWorkflows: 125,
  adminEditWorkflows: 718,
  adminTryNode: 710,
  adminCredentials: 181,
  adminPlugins: 81,
  adminPlugin: 85,
  adminTriggers: 82,
  adminActions: 82,
  adminProviders: 81,
  adminHealth: 95,
  adminDebug: 77,
  adminTypes: 87,
  adminStatistics: 77,
  retryExecutions: 112,
  adminBulkRetries: 141,
  adminSettings: 146,
  adminState: 78,
};

/** Functions that run nodes, test credentials or check workflows. Others have the descriptions of node types at most. */
const runsNodes = [
  'webhook',
  'runDurable',
  'runExpress',
  'adminTryNode',
  'adminHealth',
  'adminEditWorkflows',
];

/** Of the zips of functions that run nodes, of those that know node types, and of the others, in kB. */
const maxZip = { runs: 1_940, describes: 588, other: 136 } as const;

/** Its nodes are in files beside the bundle: plugins that are loaded on use, and what they need of packages. */
const workflowOnUse = {
  id: 'table',
  name: 'Table',
  enabled: true,
  nodes: [
    { id: 'request', type: 'webhookTrigger', parameters: { responseMode: 'lastNode' } },
    { id: 'sort', type: 'sort', parameters: { items: '{{ body }}', by: [{ field: 'n' }] } },
    { id: 'write', type: 'csv', parameters: { operation: 'write', items: '{{ items }}' } },
    { id: 'lines', type: 'code', parameters: { code: "return { lines: $input.text.trim().split('\\n') };" } },
  ],
  connections: [
    { sourceNodeId: 'request', targetNodeId: 'sort' },
    { sourceNodeId: 'sort', targetNodeId: 'write' },
    { sourceNodeId: 'write', targetNodeId: 'lines' },
  ],
};

/** Its node calls a service of a package that only the runtime has. */
const sell = { service: 'shop', operation: 'sell', input: { Items: '{{ body }}' } };
const workflowOfSdk = {
  id: 'sale',
  name: 'Sale',
  enabled: true,
  nodes: [
    { id: 'request', type: 'webhookTrigger', parameters: { responseMode: 'lastNode' } },
    { id: 'sell', type: 'aws', parameters: sell },
  ],
  connections: [{ sourceNodeId: 'request', targetNodeId: 'sell' }],
};

/** A package as the SDK's clients are. */
const sdkPackage = `
exports.ShopClient = class {
  constructor(configuration) { Object.assign(this, configuration); }
  async send({ input }) { return { $metadata: {}, Sold: input.Items, Region: this.region }; }
};
exports.SellCommand = class {
  middlewareStack = { add() {} };
  constructor(input) { this.input = input; }
};`;

let folder: string;
let template: Template;
let database: EmbeddedDynamoDb;

/** The properties of a function. */
const propertiesOf = (name: string): Readonly<Record<string, unknown>> =>
  template.Resources[`${name[0]?.toUpperCase()}${name.slice(1)}LambdaFunction`]?.Properties ?? {};

/** The environment of a function, exactly as the template has it. */
const variablesOf = (name: string): Record<string, string> => {
  const { Variables = {} } = (propertiesOf(name).Environment ?? {}) as {
    Variables?: Record<string, unknown>;
  };
  // In the place of CloudFormation: one text for each value that it would compute.
  const toText = (value: unknown): string => (typeof value === 'string' ? value : 'https://of.a.deployment');
  return Object.fromEntries(Object.entries(Variables).map(([key, value]) => [key, toText(value)]));
};

const opened = new Map<string, PackagedFunction>();
const open = (name: string): PackagedFunction => {
  const one = opened.get(name) ?? openPackagedFunction(join(folder, `${name}.zip`), variablesOf(name));
  opened.set(name, one);
  return one;
};
const answerOf = (name: string, event: string, env: Readonly<Record<string, string>> = {}) =>
  open(name).answer(event, {
    DYNAMODB_ENDPOINT: database.endpoint,
    BLOB_FOLDER: join(folder, 'blobs'),
    ...env,
  });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hookloom-package-'));
  const { code, stdout, stderr } = await runFramework(['package', '--package', folder]);
  if (code !== 0) throw new Error(`serverless package failed\n${stdout}\n${stderr}`);
  template = JSON.parse(readFileSync(join(folder, 'cloudformation-template-update-stack.json'), 'utf8'));
  database = await startEmbeddedDynamoDb('hookloom-dev');
  const target = openSampleStores({
    dynamodbEndpoint: database.endpoint,
    sourcesEndpoint: 'http://127.0.0.1:1', // not there: the samples that register are left out
    tablePrefix: 'hookloom-dev',
    secretsFolder: join(folder, 'secrets'),
  });
  await seedSamples(target, 'a'.repeat(43));
  for (const workflow of [workflowOnUse, workflowOfSdk]) {
    const file = join(folder, `${workflow.id}.json`);
    writeFileSync(file, JSON.stringify(workflow));
    await putSample(file, target);
  }
}, 600_000); // packaging takes minutes on a busy machine

afterAll(async () => {
  await database?.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('the zips', () => {
  test('exist for each function', () => {
    const zips = readdirSync(folder).filter((name) => name.endsWith('.zip'));
    expect(zips.sort()).toEqual(allFunctions.map((name) => `${name}.zip`).sort());
    const resources = Object.values(template.Resources);
    expect(resources.filter(({ Type }) => Type === 'AWS::Lambda::Function')).toHaveLength(zips.length);
  });

  // holds: off-costs-nothing
  test('files that are loaded on use are beside the bundles of the functions that use them', () => {
    const users = new Map<string, string[]>();
    for (const name of allFunctions.toSorted()) {
      for (const path of open(name).beside) {
        const file = /\.chunks\/(.*\.(?:chunk|plugin))\.mjs$/.exec(path)?.[1];
        if (file !== undefined) users.set(file, [...(users.get(file) ?? []), name]);
      }
    }
    const filesOf = Map.groupBy(users, ([, names]) => names.join(' '));
    const blocks = [...filesOf].map(([names, files]) => [
      names,
      ...files.map(([file]) => `  ${file}`).sort(),
      '',
    ]);
    expect(
      blocks
        .map((lines) => lines.join('\n'))
        .sort()
        .join('\n'),
    ).toMatchSnapshot();
  });

  test.each(allFunctions)(
    '%s has what nodes load when they run only if it runs nodes, and is small',
    (name) => {
      const has = (file: RegExp) => open(name).beside.some((path) => file.test(path));
      const runs = runsNodes.includes(name);
      for (const file of [/fetch-mails\.chunk/, /smtp\.chunk/, /postgres\.chunk/, /html\.chunk/, /quickjs/])
        expect(has(file)).toBe(runs);
      const kind = runs ? 'runs' : has(/\.plugin/) ? 'describes' : 'other';
      expect(statSync(join(folder, `${name}.zip`)).size).toBeLessThan(maxZip[kind] * KILOBYTE);
    },
  );

  test.each(allFunctions)('%s has the files that its variables call for', (name) => {
    const has = (file: string) => open(name).beside.some((path) => path.endsWith(`/${file}.mjs`));
    const { TABLE_PREFIX, DISPATCH_FUNCTION, EVENT_BUS } = variablesOf(name);
    // What finishes executions as failed, and nothing else, reports failures to the function that takes events.
    expect(has('open-failures.chunk')).toBe(DISPATCH_FUNCTION !== undefined);
    if (TABLE_PREFIX !== undefined) expect(has('version-error.chunk')).toBe(true);
    expect(EVENT_BUS ?? 'none').toBe('none'); // unless one is asked for
  });

  test.each(allFunctions)(
    '%s is the bundle of its handler, within its limit, without the AWS SDK',
    (name) => {
      const { path, content } = open(name).bundle;
      expect(`${path.replace(/\.cjs$/, '')}.handler`).toBe(propertiesOf(name).Handler);
      expect(content.byteLength).toBeLessThan((maxKilobytes[name] ?? 59) * KILOBYTE);
      expect(content.includes('smithy')).toBe(false);
    },
  );

  test.each(allFunctions)(
    '%s, unzipped on its own, loads its chunks and answers its sample event',
    async (name) => {
      const answer = await answerOf(name, readFileSync(join(projectRoot, `events/${name}.json`), 'utf8'));
      const expected = answers[name];
      if (expected === null) expect(answer).toBeNull();
      else expect(answer).toMatchObject(expected as object);
    },
  );

  /** A request to a workflow. */
  const requestTo = (workflowId: string, body: string): string => {
    const event = JSON.parse(readFileSync(join(projectRoot, 'events/webhook.json'), 'utf8'));
    const pathParameters = { workflowId, path: 'webhook' };
    return JSON.stringify({ ...event, rawPath: `/api/webhook/${workflowId}/webhook`, pathParameters, body });
  };

  test('runExpress, unzipped on its own, runs an execution to its end', async () => {
    const client = createJsonClient({ region: 'local', endpoint: database.endpoint });
    const { executions } = openTestStores({ client, tables: tableNames('hookloom-dev') });
    const executionId = 'express-1';
    const trigger = { nodeId: 'request', type: 'webhookTrigger' };
    const input = 'j{"body":[{"n":2},{"n":1}]}';
    const start = {
      executionId,
      workflowId: 'table',
      workflowVersion: 1,
      trigger,
      startedAt: Date.now(),
      input,
    };
    await executions.start(anExecutionStart({ ...start, mode: 'express' }));
    expect(await answerOf('runExpress', JSON.stringify({ executionId }))).toBeNull();
    expect(await executions.find(executionId)).toMatchObject({ status: 'succeeded', failure: null });
  });

  test('webhook, unzipped on its own, runs nodes whose plugins load on use', async () => {
    const answer = await answerOf('webhook', requestTo('table', '[{"n":2},{"n":1}]'));
    expect(answer).toMatchObject({ statusCode: 200, body: '{"lines":["n","1","2"]}' });
  });

  test('webhook, unzipped on its own, calls AWS with the SDK that the runtime provides through NODE_PATH', async () => {
    const runtime = join(folder, 'runtime');
    mkdirSync(join(runtime, '@aws-sdk/client-shop'), { recursive: true });
    writeFileSync(join(runtime, '@aws-sdk/client-shop/index.js'), sdkPackage);
    const answer = await answerOf('webhook', requestTo('sale', '["a"]'), { NODE_PATH: runtime });
    expect(answer).toMatchObject({ statusCode: 200, body: '{"Sold":["a"],"Region":"local"}' });
  });
});

describeCheckTemplate();
describeTriggerResources(() => template);
describeTemplateRules(() => template);

test('the template is the one that was reviewed', () => {
  const blocks = [...summarizeTemplate(template)].map(([title, text]) => `## ${title}\n${text}\n`);
  expect(blocks.join('\n')).toMatchSnapshot();
});
