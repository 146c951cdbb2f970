import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from '@jest/globals';
import { findStoredData, findStoredProblem, namesOfStored } from '../../resources/stored-data.ts';

const template = {
  Resources: {
    WorkflowsTable: { Type: 'AWS::DynamoDB::Table', Properties: { TableName: 'hookloom-dev-workflows' } },
    RunsTable: { Type: 'AWS::DynamoDB::Table', Properties: { TableName: 'hookloom-dev-runs' } },
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

test('what keeps data has a name that is known before the deployment', () => {
  expect(wanted).toEqual({
    WorkflowsTable: 'hookloom-dev-workflows',
    RunsTable: 'hookloom-dev-runs',
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
}

/** CloudFormation, DynamoDB and S3 of an account with this stack, tables and buckets. */
const findIn = async ({ stack, names }: Account) => {
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const { 'x-amz-target': target = '' } = request.headers;
    const answer = (status: number, content: string) => response.writeHead(status).end(content);
    if (String(target).endsWith('DescribeTable')) {
      const isThere = names.includes(JSON.parse(body).TableName);
      return isThere
        ? answer(200, '{"Table":{}}')
        : answer(400, '{"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException"}');
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
  return findStoredData(wanted, 'hookloom-dev', {
    region: 'eu-central-1',
    endpoint: `http://127.0.0.1:${port}`,
    credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
    maxAttempts: 1,
  });
};

describe('a deployment', () => {
  const judge = async (account: Account, adopts = false) =>
    findStoredProblem(await findIn(account), { adopts, stage: 'dev' });

  test('goes ahead in an account without this stage', async () => {
    expect(await judge({ stack: null, names: ['hookloom-other-workflows'] })).toBeNull();
  });

  test('goes ahead where the stack has what exists', async () => {
    const stack = { WorkflowsTable: 'hookloom-dev-workflows', BlobBucket: BUCKET };
    expect(await judge({ stack, names: ['hookloom-dev-workflows', BUCKET] })).toBeNull();
  });

  test('is refused where a removed stack has left tables and bucket, with what to do', async () => {
    const account = { stack: null, names: ['hookloom-dev-workflows', BUCKET] };
    expect(await judge(account)).toMatch(
      /has left what this one would make:\n {2}WorkflowsTable: hookloom-dev-workflows\n {2}BlobBucket: \S+\n.*--param="adoptData=true"/,
    );
  });

  test('takes them where it is told to', async () => {
    expect(await judge({ stack: null, names: ['hookloom-dev-workflows', BUCKET] }, true)).toBeNull();
  });

  test('is refused where it would put a new bucket in the place of the one in use', async () => {
    const stack = { BlobBucket: 'hookloom-dev-blobbucket-1a2b3c' };
    const problem =
      /^The bucket of this stage is hookloom-dev-blobbucket-1a2b3c\. .*\n.*blobBucket=generated/;
    expect(await judge({ stack, names: [] })).toMatch(problem);
    expect(await judge({ stack, names: [] }, true)).toMatch(problem);
  });
});
