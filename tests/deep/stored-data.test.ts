import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, test } from '@jest/globals';
import { OLDEST_VERSION, SCHEMA_VERSION } from '../../lib/adapters/dynamodb/schema/schema.ts';
import { createSdk } from '../../lib/adapters/dynamodb/sdk-client.ts';
import {
  noteStageVersions,
  readStageVersions,
  writeStageVersions,
} from '../../lib/adapters/dynamodb/stored-data/stage-versions.ts';
import {
  type AwsConfig,
  findStoredData,
  findStoredProblem,
  namesOfStored,
  noteNewStage,
} from '../../resources/stored-data.ts';
import { findTableUpdates, keepFirstUpdates } from '../../resources/table-updates.ts';
import { aFramework } from '../support/a-framework.ts';
import { readStageTemplate } from '../support/a-stage-template.ts';
import { removeIndex } from '../support/remove-index.ts';
import { useTestDatabases } from '../support/test-database.ts';

const openDatabase = useTestDatabases();

const { ExecutionsTable } = readStageTemplate('dev').Resources;

const template = {
  Resources: {
    WorkflowsTable: { Type: 'AWS::DynamoDB::Table', Properties: { TableName: 'hookloom-dev-workflows' } },
    ExecutionsTable: {
      Type: 'AWS::DynamoDB::Table',
      Properties: { ...ExecutionsTable?.Properties, TableName: 'test-executions' },
    },
    BlobBucket: {
      Type: 'AWS::S3::Bucket',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: variables of CloudFormation
      Properties: { BucketName: { 'Fn::Sub': 'hookloom-dev-${AWS::AccountId}-${AWS::Region}' } },
    },
    ServerlessDeploymentBucket: { Type: 'AWS::S3::Bucket', Properties: {} },
    Queue: { Type: 'AWS::SQS::Queue', Properties: { QueueName: 'hookloom-dev-letters' } },
  },
};
const BUCKET = 'hookloom-dev-123456789012-eu-central-1';
const wanted = namesOfStored(template, { accountId: '123456789012', region: 'eu-central-1' });

test('resources that keep data have names known before the deployment', () => {
  expect(wanted).toEqual({
    WorkflowsTable: 'hookloom-dev-workflows',
    ExecutionsTable: 'test-executions',
    BlobBucket: BUCKET,
  });
});

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

interface Account {
  /** Logical to physical names; null without a stack. */
  readonly stack: Readonly<Record<string, string>> | null;
  readonly names: readonly string[];
  /** A DynamoDB with its tables and their items; absent where nobody may read them. */
  readonly dynamoDb?: string;
  /** Whether nobody may ask DynamoDB for anything. */
  readonly isDenied?: boolean;
}

const SENTENCE = 'User: ada is not authorized to perform: dynamodb:GetItem on resource: test-executions';
const DENIED = `{"__type":"com.amazon.coral.service#AccessDeniedException","message":"${SENTENCE}"}`;

/** CloudFormation, DynamoDB and S3 of an account with this stack, tables and buckets. */
const openAccount = async ({ stack, names, dynamoDb, isDenied }: Account): Promise<AwsConfig> => {
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const { 'x-amz-target': target = '' } = request.headers;
    const answer = (status: number, content: string) => response.writeHead(status).end(content);
    if (String(target).startsWith('DynamoDB')) {
      const isDescription = String(target).endsWith('DescribeTable');
      if (isDenied || (dynamoDb === undefined && !isDescription)) return answer(400, DENIED);
      if (isDescription && !names.includes(JSON.parse(body).TableName))
        return answer(400, '{"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException"}');
      if (dynamoDb === undefined) return answer(200, '{"Table":{}}');
      const { host: _host, connection: _connection, ...headers } = request.headers;
      const answered = await fetch(dynamoDb, {
        method: 'POST',
        headers: headers as Record<string, string>,
        body,
      });
      return answer(answered.status, await answered.text());
    }
    if (request.method === 'HEAD')
      return answer(names.some((name) => request.url?.startsWith(`/${name}`)) ? 200 : 404, '');
    if (stack === null)
      return answer(
        400,
        '<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code><Message>Stack with id hookloom-dev does not exist</Message></Error></ErrorResponse>',
      );
    const members = Object.entries(stack).map(
      ([id, name]) =>
        `<member><LogicalResourceId>${id}</LogicalResourceId><PhysicalResourceId>${name}</PhysicalResourceId><ResourceStatus>CREATE_COMPLETE</ResourceStatus></member>`,
    );
    return answer(
      200,
      `<ListStackResourcesResponse><ListStackResourcesResult><StackResourceSummaries>${members.join('')}</StackResourceSummaries></ListStackResourcesResult></ListStackResourcesResponse>`,
    );
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    region: 'eu-central-1',
    endpoint: `http://127.0.0.1:${port}`,
    credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
    maxAttempts: 1,
  };
};

const findIn = async (account: Account) => findStoredData(wanted, 'hookloom-dev', await openAccount(account));

describe('a deployment', () => {
  const judge = async (account: Account, adopts = false) =>
    findStoredProblem(await findIn(account), { adopts, stage: 'dev' });

  test('continues in an account without this stage', async () => {
    expect(await judge({ stack: null, names: ['hookloom-other-workflows'] })).toBeNull();
  });

  test('continues where the stack has what exists', async () => {
    const stack = { WorkflowsTable: 'hookloom-dev-workflows', BlobBucket: BUCKET };
    expect(await judge({ stack, names: ['hookloom-dev-workflows', BUCKET] })).toBeNull();
  });

  test('is refused where a removed stack has left tables and a bucket, with what to do', async () => {
    const account = { stack: null, names: ['hookloom-dev-workflows', BUCKET] };
    expect(await judge(account)).toMatch(
      /left resources that this one would create:\n {2}WorkflowsTable: hookloom-dev-workflows\n {2}BlobBucket: \S+\n.*--param="adoptData=true"/,
    );
  });

  test('adopts them when told to', async () => {
    expect(await judge({ stack: null, names: ['hookloom-dev-workflows', BUCKET] }, true)).toBeNull();
  });

  test('is refused where it would replace the bucket in use with a new one', async () => {
    const stack = { BlobBucket: 'hookloom-dev-blobbucket-1a2b3c' };
    const problem =
      /^The bucket of this stage is hookloom-dev-blobbucket-1a2b3c\. .*\n.*blobBucket=generated/;
    expect(await judge({ stack, names: [] })).toMatch(problem);
    expect(await judge({ stack, names: [] }, true)).toMatch(problem);
  });

  const EXECUTIONS = 'test-executions';
  const NOTE = { executionId: { S: 'stored data' } };

  /** An account with a stage that holds these versions. */
  const aStageOf = async (oldest: number, newest: number): Promise<Account> => {
    const { client, tables, endpoint } = await openDatabase();
    await writeStageVersions(client, tables, { oldest, newest });
    return { stack: { ExecutionsTable: EXECUTIONS }, names: [EXECUTIONS], dynamoDb: endpoint };
  };

  // holds: deployments-refused-first
  test.each([
    [SCHEMA_VERSION + 1, 'A later release has stored data', 'Continue with that release.'],
    [OLDEST_VERSION - 1, 'There may be data in version', 'run its `hookloom migrate`'],
  ])(
    'is refused where data of version %d would become unreadable, with what to do',
    async (version, ...words) => {
      const account = await aStageOf(Math.min(version, SCHEMA_VERSION), Math.max(version, SCHEMA_VERSION));
      const adopted = { ...account, stack: null };
      for (const problem of [await judge(account), await judge(adopted, true)])
        for (const word of [`This release can't work with the data of the stage "dev":`, ...words])
          expect(problem).toContain(word);
    },
  );

  test('continues where the data is readable', async () => {
    const account = await aStageOf(OLDEST_VERSION, SCHEMA_VERSION);
    expect(await judge(account)).toBeNull();
    expect((await findIn(account)).unseen).toBeNull();
  });

  test('continues where reading is not permitted, and says so', async () => {
    const { dynamoDb: _hidden, ...account } = await aStageOf(OLDEST_VERSION - 1, SCHEMA_VERSION);
    expect(await judge(account)).toBeNull();
    expect((await findIn(account)).unseen).toBe(SENTENCE);
    expect((await findIn({ ...account, stack: null, isDenied: true })).unseen).toBe(SENTENCE);
  });

  /** The same without an index. */
  const withoutAnIndex = async (account: Account, index = 'bySweep'): Promise<Account> => {
    const sdk = createSdk(account.dynamoDb);
    const { Item } = await sdk.send(new GetItemCommand({ TableName: EXECUTIONS, Key: NOTE }));
    await removeIndex(sdk, EXECUTIONS, index);
    if (Item !== undefined) await sdk.send(new PutItemCommand({ TableName: EXECUTIONS, Item }));
    sdk.destroy();
    return account;
  };

  /** A stage on which no release has noted a version. */
  const aStageWithoutNote = async (): Promise<Account> => {
    const { endpoint } = await openDatabase();
    return { stack: { ExecutionsTable: EXECUTIONS }, names: [EXECUTIONS], dynamoDb: endpoint };
  };

  test('is refused where a table lacks an index that CloudFormation will not add, with what to do', async () => {
    const problem =
      /^This release can't work with the data of the stage "dev":\n {2}The table test-executions lacks the index bySweep: .*\n.*serverless\.yml/;
    const unnoted = await withoutAnIndex(await aStageWithoutNote()); // of 0.1.0
    const noted = await withoutAnIndex(await aStageOf(SCHEMA_VERSION, SCHEMA_VERSION));
    const before = await withoutAnIndex(await aStageOf(OLDEST_VERSION, OLDEST_VERSION));
    for (const account of [unnoted, noted, before, { ...unnoted, stack: null }])
      expect(await judge(account, true)).toMatch(problem);
    const present = await withoutAnIndex(await aStageOf(SCHEMA_VERSION, SCHEMA_VERSION), 'byTime');
    expect(await judge(present)).toMatch(/lacks the index byTime/);
    const adopted = await withoutAnIndex(await aStageOf(OLDEST_VERSION, OLDEST_VERSION), 'byTime');
    expect(await judge({ ...adopted, stack: null }, true)).toMatch(/does not have the index byTime yet/);
  });

  test('continues where CloudFormation adds the index, in a stage of an earlier version', async () => {
    for (const account of [await aStageOf(OLDEST_VERSION, OLDEST_VERSION), await aStageWithoutNote()])
      expect(await judge(await withoutAnIndex(account, 'byTime'))).toBeNull();
  });

  test('notes that a new stage holds only the current version, which a sweep keeps', async () => {
    const { client, tables, endpoint } = await openDatabase();
    const account = { stack: null, names: [], dynamoDb: endpoint };
    const found = await findIn(account);
    expect(found.isNew).toBe(true);
    await noteNewStage(found, await openAccount(account));
    const versions = { oldest: SCHEMA_VERSION, newest: SCHEMA_VERSION };
    expect(await noteStageVersions(client, tables, { isNew: false })).toEqual(versions);
    expect(await readStageVersions(client, tables)).toEqual(versions);
  });

  test('does not take a stage for new that existed or that it adopts', async () => {
    const account = await aStageOf(OLDEST_VERSION, SCHEMA_VERSION);
    expect((await findIn(account)).isNew).toBe(false);
    expect((await findIn({ ...account, stack: null })).isNew).toBe(false);
  });

  test('does not take a stage for new if it adopts a table or could not look', async () => {
    expect((await findIn({ stack: null, names: ['hookloom-dev-workflows'] })).isNew).toBe(false);
    expect((await findIn({ stack: { WorkflowsTable: 'hookloom-dev-workflows' }, names: [] })).isNew).toBe(
      false,
    );
    expect((await findIn({ stack: null, names: [], isDenied: true })).isNew).toBe(false);
  });

  describe('that changes a table of the stack more than once', () => {
    const STREAM = { 'Fn::GetAtt': ['ExecutionsTable', 'StreamArn'] };
    /** The plugin, with the table of serverless.yml and what reads its stream, in front of a stage of 0.2.0: without `byTime` and stream. */
    const upgrade = async (param: readonly string[], account: Account) => {
      const Properties = structuredClone({ ...ExecutionsTable?.Properties, TableName: EXECUTIONS });
      const Resources: Record<string, { Type: string; Properties: Record<string, unknown> }> = {
        ExecutionsTable: { Type: 'AWS::DynamoDB::Table', Properties },
        Counting: { Type: 'AWS::Lambda::EventSourceMapping', Properties: { EventSourceArn: STREAM } },
        Queue: { Type: 'AWS::Lambda::EventSourceMapping', Properties: { EventSourceArn: 'arn:a-queue' } },
      };
      const { begin } = aFramework({ Resources, param, aws: await openAccount(account) });
      const refusal = await begin().then(
        () => null,
        ({ message }: Error) => message,
      );
      const { GlobalSecondaryIndexes, StreamSpecification } = Properties as Record<string, unknown>;
      const indexes = (GlobalSecondaryIndexes as { IndexName: string }[]).map(({ IndexName }) => IndexName);
      return { refusal, indexes, StreamSpecification, ids: Object.keys(Resources), Properties };
    };
    const all = ['byWorkflow', 'byFailure', 'bySweep', 'byTime'];

    test('is refused with the commands of the deployments that make one change each', async () => {
      const account = await withoutAnIndex(await aStageOf(OLDEST_VERSION, OLDEST_VERSION), 'byTime');
      const { refusal } = await upgrade(['blobBucket=generated'], account);
      expect(refusal).toBe(
        [
          'DynamoDB changes one index or stream of a table at a time, and this deployment needs several changes:',
          '  test-executions: create the index byTime, start the stream',
          'Nothing was changed. Deploy twice, all but the last time with a parameter:',
          '  npx serverless deploy --stage dev --param="blobBucket=generated" --param="tableUpdates=first"',
          '  npx serverless deploy --stage dev --param="blobBucket=generated"',
          'See docs/deploying.md, "Upgrade".',
        ].join('\n'),
      );
    });

    test('makes the first change if asked to, and what needs the others waits', async () => {
      const account = await withoutAnIndex(await aStageOf(OLDEST_VERSION, OLDEST_VERSION), 'byTime');
      const first = await upgrade(['tableUpdates=first'], account);
      expect(first).toMatchObject({ refusal: null, indexes: all, StreamSpecification: undefined });
      expect(first.ids).toEqual(['ExecutionsTable', 'Queue']);
    });

    test('makes the last change once the others are made, with or without the parameter', async () => {
      const account = await aStageOf(OLDEST_VERSION, SCHEMA_VERSION);
      for (const param of [[], ['tableUpdates=first']]) {
        const last = await upgrade(param, account);
        expect(last).toMatchObject({ refusal: null, indexes: all });
        expect(last.StreamSpecification).toEqual({ StreamViewType: 'NEW_AND_OLD_IMAGES' });
        expect(last.ids).toEqual(['ExecutionsTable', 'Counting', 'Queue']);
      }
    });
  });

  test('postpones further indexes with the attributes that only they use, and keeps those to be removed', async () => {
    const { sdk } = await openDatabase();
    const { Table = {} } = await sdk.send(new DescribeTableCommand({ TableName: EXECUTIONS }));
    const index = (IndexName: string, AttributeName: string) => ({
      IndexName,
      KeySchema: [{ AttributeName, KeyType: 'HASH' }],
      Projection: { ProjectionType: 'KEYS_ONLY' },
    });
    const attribute = (AttributeName: string) => ({ AttributeName, AttributeType: 'S' });
    const Properties = {
      AttributeDefinitions: ['executionId', 'owner', 'team', 'workflowId', 'startedAt'].map(attribute),
      KeySchema: [{ AttributeName: 'executionId', KeyType: 'HASH' }],
      GlobalSecondaryIndexes: [
        index('byWorkflow', 'workflowId'),
        index('byOwner', 'owner'),
        index('byTeam', 'team'),
      ],
    };
    const updates = findTableUpdates(
      { Resources: { ExecutionsTable: { Type: 'AWS::DynamoDB::Table', Properties } } },
      { ExecutionsTable: Table },
    );
    expect(updates.get('ExecutionsTable')?.map(({ text }) => text)).toEqual([
      'create the index byOwner',
      'create the index byTeam',
      ...['byFailure', 'bySweep', 'byTime'].map((name) => `remove the index ${name}`).sort(),
    ]);
    keepFirstUpdates(updates);
    const kept = ['byFailure', 'bySweep', 'byTime'];
    expect(Properties.GlobalSecondaryIndexes.map(({ IndexName }) => IndexName).sort()).toEqual(
      [...kept, 'byOwner', 'byWorkflow'].sort(),
    );
    // DynamoDB accepts exactly the attributes that keys use.
    const definition = { TableName: 'upgraded', BillingMode: 'PAY_PER_REQUEST', ...Properties };
    await sdk.send(new CreateTableCommand(definition as CreateTableCommandInput));
  });

  test('to an earlier release removes its indexes first, and keeps the stream until then', async () => {
    const { sdk } = await openDatabase();
    const { Table } = await sdk.send(new DescribeTableCommand({ TableName: EXECUTIONS }));
    const StreamSpecification = { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' } as const;
    const { StreamSpecification: _stream, ...earlier } = { ...ExecutionsTable?.Properties };
    const indexes = earlier.GlobalSecondaryIndexes as { IndexName: string }[];
    const Properties: Record<string, unknown> = {
      ...earlier,
      GlobalSecondaryIndexes: indexes.filter(({ IndexName }) => IndexName !== 'byTime'),
    };
    const updates = findTableUpdates(
      { Resources: { ExecutionsTable: { Type: 'AWS::DynamoDB::Table', Properties } } },
      { ExecutionsTable: { ...Table, StreamSpecification } },
    );
    expect(updates.get('ExecutionsTable')?.map(({ text }) => text)).toEqual([
      'remove the index byTime',
      'end the stream',
    ]);
    keepFirstUpdates(updates);
    expect(Properties.StreamSpecification).toEqual({ StreamViewType: 'NEW_AND_OLD_IMAGES' });
    expect(JSON.stringify(Properties.GlobalSecondaryIndexes)).not.toContain('byTime');
  });

  /** The plugin, in front of an account. */
  const aDeployment = async (account: Account) =>
    aFramework({ Resources: template.Resources, aws: await openAccount(account) });

  // holds: deployments-refused-first
  test('stops before changing the stack when it is refused', async () => {
    const { begin, warnings } = await aDeployment(await aStageOf(SCHEMA_VERSION, SCHEMA_VERSION + 1));
    await expect(begin()).rejects.toThrow(/^This release can't work with the data of the stage "dev":/);
    expect(warnings).toEqual([]);
  });

  test('warns once of what it may not read', async () => {
    const { begin, end, warnings } = await aDeployment({ stack: null, names: [], isDenied: true });
    await begin();
    await end();
    expect(warnings).toEqual([expect.stringContaining(SENTENCE)]);
  });

  test.each([true, false])(
    'notes the version after creating the stack, for a new stage: %s',
    async (isNew) => {
      const { client, tables, endpoint } = await openDatabase();
      const account = isNew
        ? { stack: null, names: [] }
        : { stack: { ExecutionsTable: EXECUTIONS }, names: [EXECUTIONS] };
      const { begin, end, warnings } = await aDeployment({ ...account, dynamoDb: endpoint });
      await begin();
      expect(await readStageVersions(client, tables)).toBeNull();
      await end();
      const noted = isNew ? { oldest: SCHEMA_VERSION, newest: SCHEMA_VERSION } : null;
      expect(await readStageVersions(client, tables)).toEqual(noted);
      expect(warnings).toEqual([]);
    },
  );

  test('continues where the version of a new stage cannot be noted', async () => {
    const account = { stack: null, names: [] };
    await expect(noteNewStage(await findIn(account), await openAccount(account))).resolves.toBeUndefined();
  });
});
