import type { JsonObject } from '@hookloom/plugin-kit';
import { expect, test } from '@jest/globals';
import aws4 from 'aws4';
import { json } from '../support/a-running-project.ts';
import { useRunningStage } from '../support/a-running-stage.ts';
import { aDecision, waitingApproval } from '../support/an-approval.ts';
import { readSections } from '../support/page-commands.ts';
import { poll } from '../support/poll.ts';

// "Restore a table" of docs/deploying.md, step by step, on the packaged service. The stage's DynamoDB has neither recovery nor backups: a copy of
// the items stands for both.

const stage = useRunningStage({ args: () => ['--no-samples'] });

/** A call of the account's owner, as the AWS CLI makes it. */
const dynamodb = async <Answer = JsonObject>(operation: string, input: object): Promise<Answer> => {
  const { region, users } = stage.info;
  const host = `dynamodb.${region}.amazonaws.com`;
  const body = JSON.stringify(input);
  const headers = {
    'x-amz-target': `DynamoDB_20120810.${operation}`,
    'content-type': 'application/x-amz-json-1.0',
  };
  const { headers: signed } = aws4.sign(
    { service: 'dynamodb', region, host, method: 'POST', path: '/', headers, body },
    users.owner,
  );
  const { host: _host, Host: _Host, ...sent } = signed as Record<string, string>;
  const response = await stage.fetch(`https://${host}/`, { method: 'POST', headers: sent, body });
  const text = await response.text();
  if (!response.ok) throw new Error(`${operation}: ${text}`);
  return JSON.parse(text);
};

type Item = Readonly<Record<string, object>>;

interface TableDescription {
  readonly TableStatus: string;
  readonly KeySchema: object;
  readonly AttributeDefinitions: object;
  readonly GlobalSecondaryIndexes?: readonly {
    readonly IndexName: string;
    readonly KeySchema: object;
    readonly Projection: object;
  }[];
}

const nameOf = (table: string): string => `hookloom-${stage.info.stage}-${table}`;
const describeTable = async (table: string): Promise<TableDescription> =>
  (await dynamodb<{ Table: TableDescription }>('DescribeTable', { TableName: nameOf(table) })).Table;

/** What a restore to this moment would give. */
const copyTable = async (table: string) => {
  const { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes = [] } = await describeTable(table);
  const { Items } = await dynamodb<{ Items: readonly Item[] }>('Scan', { TableName: nameOf(table) });
  const indexes = GlobalSecondaryIndexes.map(({ IndexName, KeySchema, Projection }) => ({
    IndexName,
    KeySchema,
    Projection,
  }));
  return {
    items: Items,
    definition: {
      KeySchema,
      AttributeDefinitions,
      BillingMode: 'PAY_PER_REQUEST',
      ...(indexes.length === 0 ? {} : { GlobalSecondaryIndexes: indexes }),
    },
  };
};

type Copy = Awaited<ReturnType<typeof copyTable>>;

/** Deletes a table and restores the copy under its name. */
const replaceTable = async (table: string, { items, definition }: Copy): Promise<void> => {
  const TableName = nameOf(table);
  await dynamodb('DeleteTable', { TableName });
  await poll(() =>
    describeTable(table).then(
      () => false,
      () => true,
    ),
  );
  await dynamodb('CreateTable', { TableName, ...definition });
  await poll(async () => (await describeTable(table)).TableStatus === 'ACTIVE');
  for (const Item of items) await dynamodb('PutItem', { TableName, Item });
};

const send = async (workflowId: string, body: object = {}) => {
  const response = await stage.fetch(`/api/webhook/${workflowId}/webhook`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as JsonObject };
};
const succeed = async (args: string): Promise<string> => {
  const { code, stdout, stderr } = await stage.cli(args);
  expect([args, code, code === 0 ? '' : stderr]).toEqual([args, 0, '']);
  return stdout;
};
const statusOf = async (executionId: string): Promise<string> =>
  JSON.parse(await succeed(`execution show ${executionId} --json`)).status;

const anEcho = (id: string, value: string, webhook: JsonObject = {}) => ({
  id,
  name: 'Echo',
  enabled: true,
  nodes: [
    { id: 'request', type: 'webhookTrigger', parameters: { responseMode: 'lastNode', ...webhook } },
    { id: 'echo', type: 'set', parameters: { values: { value } } },
  ],
  connections: [{ sourceNodeId: 'request', targetNodeId: 'echo' }],
});

const scheduled = (id: string, name: string) => {
  const { nodes, connections, ...echo } = anEcho(id, 'first');
  return {
    ...echo,
    name,
    nodes: [...nodes, { id: 'hourly', type: 'scheduleTrigger', parameters: { rate: '1 hour' } }],
    connections: [...connections, { sourceNodeId: 'hourly', targetNodeId: 'echo' }],
  };
};

/** The workflows that schedules are registered for. */
const registered = async (): Promise<readonly unknown[]> =>
  (await copyTable('registrations')).items.map(({ workflowId }) => workflowId);

/** A registration without a workflow is removed after ten minutes, since a workflow that is being put has one, too. */
const makeOlder = async (id: string): Promise<void> => {
  const { items } = await copyTable('registrations');
  const item = items.find(({ workflowId }) => JSON.stringify(workflowId) === JSON.stringify({ S: id }));
  await dynamodb('PutItem', { TableName: nameOf('registrations'), Item: { ...item, changedAt: { N: '0' } } });
};

test('a workflow that was removed comes back with its item: it answers, its schedule is registered, and it can be changed', async () => {
  await stage.storeWorkflow(scheduled('orders', 'First'));
  await stage.storeWorkflow(scheduled('orders', 'Second'));
  const copy = await copyTable('workflows');
  await succeed('workflow remove orders');
  await poll(async () => (await send('orders')).status === 404);
  expect(await registered()).toEqual([]);

  const Item = copy.items.find(({ workflowId }) => JSON.stringify(workflowId) === '{"S":"orders"}') ?? {};
  await dynamodb('PutItem', { TableName: nameOf('workflows'), Item });
  await poll(async () => (await send('orders')).status === 200);
  expect(await succeed('workflow list')).toContain('Second');
  await stage.fire('SweepRegistrationsEventsRuleSchedule1');
  await poll(async () => JSON.stringify(await registered()) === '[{"S":"orders"}]');
  await stage.storeWorkflow(scheduled('orders', 'Third'));
  expect(JSON.parse(await succeed('workflow history orders --json'))).toMatchObject([
    { version: 3 },
    { version: 2 },
    { version: 1 },
  ]);
});

test('tables are replaced by a copy: runs of before go on, those of after are gone, and what is sent again runs', async () => {
  const echo = (value: string) => stage.storeWorkflow(anEcho('echo', value, { deduplication: 'body.id' }));
  const answers = async (id: string): Promise<unknown> => (await send('echo', { id })).body.value;
  let sent = 0;
  const answersSoon = (value: string) => poll(async () => (await answers(`try-${sent++}`)) === value);
  const ask = (id: string) =>
    stage.fetch(`/api/webhook/${id}/webhook`, {
      method: 'POST',
      headers: json,
      body: '{"what": "kettle", "cost": 1}',
    });
  const approve = (address: string) =>
    stage.fetch(address, {
      method: 'POST',
      headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
      body: 'decision=approve&limit=1',
    });
  await stage.storeWorkflow(aDecision({ id: 'decision' }));
  await echo('before');
  await ask('decision');
  const waiting = await waitingApproval(stage, 'decision');
  expect(await answers('kept')).toBe('before');
  const tables = ['workflows', 'workflow-versions', 'executions'] as const;
  const copies = await Promise.all(tables.map(async (table) => [table, await copyTable(table)] as const));

  await echo('after');
  await answersSoon('after');
  expect(await answers('lost')).toBe('after');
  await stage.storeWorkflow(aDecision({ id: 'decision-of-after' }));
  await stage.storeWorkflow(scheduled('schedule-of-after', 'Lost'));
  await ask('decision-of-after');
  const lost = await waitingApproval(stage, 'decision-of-after');
  for (const [table, copy] of copies) await replaceTable(table, copy);

  await answersSoon('before');
  expect([await answers('lost'), await answers('kept')]).toEqual(['before', 'before']);
  const ran = JSON.parse(await succeed('execution list --workflow echo --key kept --json'));
  expect(ran.executions).toHaveLength(1);
  expect((await approve(waiting.address)).status).toBe(200);
  await poll(async () => (await statusOf(waiting.executionId)) === 'succeeded');
  expect((await approve(lost.address)).status).toBe(404);
  expect(await stage.cli(`execution show ${lost.executionId}`)).toMatchObject({ code: 1 });
  await echo('another second version');
  await answersSoon('another second version');
  await stage.fire('SweepEventsRuleSchedule1');
  await makeOlder('schedule-of-after');
  await stage.fire('SweepRegistrationsEventsRuleSchedule1');
  await poll(async () => JSON.stringify(await registered()) === '[{"S":"orders"}]');
  expect(await succeed('doctor --no-probes')).not.toMatch(/^(wrong|warning)/m);
  expect(await stage.refusals()).toEqual([]);
});

test('what the runbooks print to look at a stage runs on it', async () => {
  const printed = readSections('docs/runbooks.md')
    .flatMap(({ commands }) => commands)
    .filter(([name, ...words]) => name === 'hookloom' && !words.includes('ID'))
    .map((words) => words.slice(1, -2).join(' ')); // without `--stage $STAGE`
  const looks = [...new Set(printed)].filter(
    (args) => !/^(migrate|execution retry (?!.*--dry-run))/.test(args),
  );
  expect(looks.length).toBeGreaterThan(5);
  for (const args of looks) await succeed(args);
});
