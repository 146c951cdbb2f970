import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { createExecutionStore } from '../../lib/adapters/dynamodb/executions/execution-store.ts';
import { createJsonClient } from '../../lib/adapters/dynamodb/json-client.ts';
import { tableNames } from '../../lib/adapters/dynamodb/table-names.ts';
import { createWorkflowStore } from '../../lib/adapters/dynamodb/workflows/workflow-store.ts';
import { systemClock } from '../../lib/adapters/runtime/system-clock.ts';
import {
  type EmbeddedDynamoDb,
  startEmbeddedDynamoDb,
} from '../../packages/local/database/embedded-dynamodb.ts';
import { createResolveEnvironment } from '../../packages/local/functions/local-functions.ts';
import { readServiceFile } from '../../packages/local/functions/service-file.ts';
import { createChunks } from '../../resources/chunks.ts';
import { aWorkflow } from '../support/a-workflow.ts';
import { copyProject } from '../support/copy-project.ts';
import { aLocalEnvironment } from '../support/function-environment.ts';
import { projectRoot, runCommand } from '../support/run-command.ts';

const page =
  readFileSync(join(projectRoot, 'docs/plugins.md'), 'utf8').split('## A trigger that events fire')[1] ?? '';

/** The code that the guide has for a file. */
const codeFor = (file: string): string => {
  const [, code] = /\n```\w+\n([\s\S]*?)```/.exec(page.slice(page.indexOf(`\`${file}\``))) ?? [];
  if (code === undefined) throw new Error(`the guide has no code for ${file}`);
  return code;
};

let project: ReturnType<typeof copyProject>;
let data: string;
let database: EmbeddedDynamoDb;

/** Stands in for Lambda's API. */
const invoked: string[] = [];
const lambda = createServer(async (request, response) => {
  invoked.push(`${request.url} ${await text(request)}`);
  response.writeHead(202).end();
});

beforeAll(async () => {
  project = copyProject();
  data = mkdtempSync(join(tmpdir(), 'hookloom-data-'));
  database = await startEmbeddedDynamoDb('test');
  await new Promise<void>((resolve) => lambda.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  lambda.close();
  await database?.stop();
  project?.remove();
  rmSync(data, { recursive: true, force: true });
});

const read = (folder: string): Map<string, string> =>
  new Map(
    ['serverless.yml', 'functions', 'lib', 'nodes', 'resources', 'packages'].flatMap((name) => {
      const nested = name.includes('.')
        ? [name]
        : readdirSync(join(folder, name), { recursive: true, encoding: 'utf8' }).map((file) =>
            join(name, file),
          );
      return nested
        .filter((file) => /\w\.\w+$/.test(file))
        .map((file) => [file, readFileSync(join(folder, file), 'utf8')] as const);
    }),
  );

const changedFiles = (): string[] => {
  const before = read(projectRoot);
  return [...read(project.folder)]
    .filter(([file, content]) => before.get(file) !== content)
    .map(([file]) => file);
};

const write = (file: string, content: string): void => writeFileSync(join(project.folder, file), content);

const insert = (file: string, place: RegExp, content: string): void => {
  const before = readFileSync(join(project.folder, file), 'utf8');
  const after = before.replace(place, (found) => `${content}${found}`);
  expect(after).not.toBe(before);
  write(file, after);
};

/** Bundles a function of the copy as a deployment does, and invokes it in a process of its own. */
const invoke = async (key: string, event: object): Promise<unknown> => {
  const service = readServiceFile(project.folder);
  const definition = service.functions.find((found) => found.key === key);
  if (definition === undefined) throw new Error(`there is no function ${key} in serverless.yml`);
  const values = {
    DYNAMODB_ENDPOINT: database.endpoint,
    AWS_ENDPOINT_URL_LAMBDA: `http://127.0.0.1:${(lambda.address() as AddressInfo).port}`,
    BLOB_FOLDER: data,
  };
  const outfile = join(data, `${key}${service.bundleExtension}`);
  await build({
    ...service.esbuild,
    absWorkingDir: project.folder,
    entryPoints: [`${definition.module}.ts`],
    outfile,
    plugins: [createChunks()],
  });
  const script = `require(${JSON.stringify(outfile)}).handler(${JSON.stringify(event)}, { awsRequestId: 'request' })
    .then((answer) => require('node:fs').writeFileSync('answer.json', JSON.stringify(answer ?? null)))`;
  const { code, stdout, stderr } = await runCommand('node', ['-e', script], {
    cwd: data,
    env: createResolveEnvironment(service.functions)(definition, aLocalEnvironment(values)),
  });
  expect({ code, stdout, stderr }).toMatchObject({ code: 0, stderr: '' });
  return JSON.parse(readFileSync(join(data, 'answer.json'), 'utf8'));
};

test('a trigger type is the guide’s four files: its events fire, and its executions run', async () => {
  write('nodes/queue-trigger.ts', codeFor('nodes/queue-trigger.ts'));
  insert('nodes/installed.ts', /\];\s*$/, codeFor('nodes/installed.ts'));
  write('functions/queue.ts', codeFor('functions/queue.ts'));
  insert('serverless.yml', /^ {2}adminExecutions:\n/m, codeFor('serverless.yml'));
  expect(changedFiles().sort()).toEqual([
    'functions/queue.ts',
    'nodes/installed.ts',
    'nodes/queue-trigger.ts',
    'serverless.yml',
  ]);

  const client = createJsonClient({ region: 'local', endpoint: database.endpoint });
  const tables = tableNames('test');
  const workflow = aWorkflow({
    id: 'orders',
    nodes: [
      { id: 'arrival', type: 'messageTrigger', parameters: {} },
      { id: 'greet', type: 'set', parameters: { values: { greeting: 'Hello, {{ message.name }}' } } },
    ],
    connections: [{ sourceNodeId: 'arrival', targetNodeId: 'greet' }],
    settings: { recordData: 'always' },
  });
  await createWorkflowStore(client, tables, systemClock).put(workflow, []);

  const to = { workflowId: 'orders', triggerNodeId: 'arrival' };
  const body = JSON.stringify({ to, message: { name: 'Ada' } });
  const message = { messageId: 'm-1', body, eventSource: 'aws:sqs' };
  expect(await invoke('queue', { Records: [message, message] })).toEqual({ batchItemFailures: [] });
  const [, executionId = ''] =
    /^\/2015-03-31\/functions\/hookloom-dev-runExpress\/invocations \{"executionId":"([\w-]+)"\}$/.exec(
      invoked.join('\n'),
    ) ?? [];

  expect(await invoke('runExpress', { executionId })).toBeNull();
  const executions = createExecutionStore(client, tables, { retentionDays: 1, clock: systemClock });
  const record = await executions.find(executionId);
  expect(record?.status).toBe('succeeded');
  expect(record?.nodes.map(({ nodeId, outputs }) => [nodeId, outputs])).toEqual([
    ['arrival', { main: { message: { name: 'Ada' }, triggerType: 'queue' } }],
    ['greet', { main: expect.objectContaining({ greeting: 'Hello, Ada' }) }],
  ]);
});
