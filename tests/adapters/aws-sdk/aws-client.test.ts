import { type AwsClient, type AwsOperation, type LentCredential, NodeError } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { aRawServer } from '../../support/a-local-server.ts';
import { answerJson, useAwsServers } from '../../support/an-aws-server.ts';
import { useTestDatabases } from '../../support/test-database.ts';

const servers = useAwsServers();
const openDatabase = useTestDatabases();

const put: AwsOperation = {
  service: 'dynamodb',
  operation: 'PutItem',
  input: { TableName: 'orders', Item: { id: { S: 'a' } } },
  timeoutMs: 10_000,
  maxOutputBytes: 100_000,
  signal: new AbortController().signal,
};

const errorOf = (client: AwsClient, changes: Partial<AwsOperation> = {}): Promise<unknown> =>
  client.send({ ...put, ...changes }).then(
    () => null,
    (error: unknown) => error,
  );

describe('a call', () => {
  test('is sent as the SDK sends it, and returns its output without metadata', async () => {
    const { endpoint, tables } = await openDatabase();
    const client = servers.pointTo(endpoint, ['DYNAMODB']);
    const TableName = tables.deliveries;
    const Item = { deliveryId: { S: 'd-1' }, size: { N: '12' } };
    expect(await client.send({ ...put, input: { TableName, Item } })).toEqual({});
    const read = { operation: 'getItem', input: { TableName, Key: { deliveryId: { S: 'd-1' } } } };
    expect(await client.send({ ...put, ...read })).toEqual({ Item });
  });

  test('is sent once, to the region that it names', async () => {
    const { requests, client } = await servers.start(['DYNAMODB'], answerJson(500, {}));
    expect(await errorOf(client, { region: 'ap-south-1' })).toMatchObject({ isRetryable: true });
    expect(requests).toHaveLength(1);
    expect(requests[0]?.headers.authorization).toContain('/ap-south-1/dynamodb/aws4_request');
  });
});

describe('a call fails', () => {
  const noServer = () => servers.pointTo('http://127.0.0.1:9', ['DYNAMODB']);

  test.each<[string, Partial<AwsOperation>, string, string]>([
    [
      'for a service that is not there, with the package',
      { service: 'dynamo' },
      'UnknownService',
      'the package @aws-sdk/client-dynamo is missing. It is part of Lambda\'s runtime; elsewhere, install it; did you mean "dynamodb"?',
    ],
    [
      'for the name of a file in place of a service',
      { service: '../../../etc/passwd' },
      'UnknownService',
      '"../../../etc/passwd" is not a service: it must be the name of a client package without @aws-sdk/client-, such as dynamodb',
    ],
    [
      'for an operation that is not there, with the nearest',
      { operation: 'PutItm' },
      'UnknownOperation',
      'dynamodb has no operation "PutItm"; did you mean "PutItem"?',
    ],
    [
      'for what is no operation but of every object',
      { operation: 'constructor' },
      'UnknownOperation',
      'dynamodb has no operation "constructor"',
    ],
    [
      'for a region that is part of another host',
      { region: 'a.example/#' },
      'UnknownRegion',
      '"a.example/#" is not a region: it must be a name such as eu-west-1',
    ],
  ])('%s', async (_case, changes, name, message) => {
    expect(await errorOf(noServer(), changes)).toMatchObject({ name, message, isRetryable: false });
  });

  test('with name, status and request id when the service rejects its input', async () => {
    const { client } = await servers.start(
      ['DYNAMODB'],
      answerJson(400, {
        __type: 'com.amazon.coral.validate#ValidationException',
        message: 'One or more parameter values were invalid',
      }),
    );
    expect(await errorOf(client)).toMatchObject({
      name: 'ValidationException',
      message: 'dynamodb PutItem failed: One or more parameter values were invalid',
      isRetryable: false,
      details: { service: 'dynamodb', operation: 'PutItem', status: 400, requestId: 'request-1' },
    });
  });

  test('before it is sent when its input lacks a part of the URL', async () => {
    const client = servers.pointTo('http://127.0.0.1:9', ['S3']);
    const message = 's3 GetObject failed: No value provided for input HTTP label: Key.';
    expect(await errorOf(client, { service: 's3', operation: 'GetObject', input: {} })).toMatchObject({
      message,
      isRetryable: false,
    });
  });

  test('with the details that the service adds to an error', async () => {
    const CancellationReasons = [
      { Code: 'ConditionalCheckFailed', Message: 'The conditional request failed' },
    ];
    const answer = { __type: 'TransactionCanceledException', Message: 'cancelled', CancellationReasons };
    const { client } = await servers.start(['DYNAMODB'], answerJson(400, answer));
    const changes = { operation: 'TransactWriteItems', input: { TransactItems: [] } };
    expect(await errorOf(client, changes)).toMatchObject({
      name: 'TransactionCanceledException',
      isRetryable: false,
      details: { status: 400, fields: { CancellationReasons } },
    });
  });

  test.each([
    ['ThrottlingException', 400, true],
    ['ProvisionedThroughputExceededException', 400, true],
    ['InternalServerError', 500, true],
    ['ResourceNotFoundException', 400, false],
  ])('%s, and another attempt may help or not', async (name, status, isRetryable) => {
    const { client } = await servers.start(['DYNAMODB'], answerJson(status, { __type: name, message: 'no' }));
    expect(await errorOf(client)).toMatchObject({ name, isRetryable, details: { status } });
  });

  test('for a response that does not come from the service, without quoting it', async () => {
    const { client } = await servers.start(['DYNAMODB'], (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<p>a captive portal</p>');
    });
    const error = await errorOf(client);
    expect(error).toMatchObject({
      name: 'SyntaxError',
      message: 'dynamodb PutItem failed: the answer, with status 200, does not come from the service',
    });
  });

  test('for a response that is not HTTP', async () => {
    const server = await aRawServer('SSH-2.0-OpenSSH_9.9\r\n');
    const client = servers.pointTo(server.origin, ['DYNAMODB']);
    expect(await errorOf(client)).toMatchObject({
      name: 'HPE_INVALID_CONSTANT',
      message: expect.stringMatching(/^dynamodb PutItem failed: Parse Error/),
    });
    await server.close();
  });

  test('for a refused connection, and is retryable', async () => {
    expect(await errorOf(noServer())).toMatchObject({ name: 'ECONNREFUSED', isRetryable: true });
  });

  test('for a truncated response, and is retryable', async () => {
    const { client } = await servers.start(['DYNAMODB'], (_request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{"Attr', () => response.destroy());
    });
    expect(await errorOf(client)).toMatchObject({ name: 'ECONNRESET', isRetryable: true });
  });

  test('for a response above the limit, before it is parsed', async () => {
    const { client } = await servers.start(['DYNAMODB'], answerJson(200, { Attributes: 'x'.repeat(2_000) }));
    expect(await errorOf(client, { maxOutputBytes: 1_000 })).toMatchObject({
      name: 'OutputTooLarge',
      message: 'the output of dynamodb PutItem is larger than 1000 bytes',
      isRetryable: false,
    });
  });

  test('for a response that does not come in time', async () => {
    const { client } = await servers.start(['DYNAMODB'], () => {});
    expect(await errorOf(client, { timeoutMs: 50 })).toMatchObject({
      name: 'TimeoutError',
      message: 'dynamodb PutItem did not finish within 50 ms',
      isRetryable: true,
    });
  });

  test('with the reason of the signal when it is aborted', async () => {
    const { client } = await servers.start(['DYNAMODB'], () =>
      controller.abort(new Error('the node is late')),
    );
    const controller = new AbortController();
    expect(await errorOf(client, { signal: controller.signal })).toMatchObject({
      message: 'the node is late',
    });
  });
});

describe('a call that is denied names the statement to add', () => {
  const place = 'custom.workflowStatements in serverless.yml';

  test('as AWS reports it', async () => {
    const message =
      'User: arn:aws:sts::123456789012:assumed-role/a/b is not authorized to perform: dynamodb:PutItem on resource: arn:aws:dynamodb:eu-west-1:123456789012:table/orders because no identity-based policy allows the dynamodb:PutItem action';
    const { client } = await servers.start(
      ['DYNAMODB'],
      answerJson(400, { __type: 'AccessDeniedException', Message: message }),
    );
    const statement = {
      Effect: 'Allow',
      Action: ['dynamodb:PutItem'],
      Resource: 'arn:aws:dynamodb:eu-west-1:123456789012:table/orders',
    };
    expect(await errorOf(client)).toMatchObject({
      name: 'AccessDeniedException',
      message: `dynamodb PutItem: a permission is missing: add ${JSON.stringify(statement)} to ${place}. AWS: ${message}`,
      isRetryable: false,
      details: { status: 400, statements: [statement] },
    });
  });

  test('from its input when AWS does not report it, as for HEAD, whose response has no body', async () => {
    const { client } = await servers.start(['S3'], (_request, response) => response.writeHead(403).end());
    const input = { Bucket: 'reports', Key: 'may.csv' };
    expect(await errorOf(client, { service: 's3', operation: 'HeadObject', input })).toMatchObject({
      isRetryable: false,
      details: {
        status: 403,
        statements: [
          {
            Effect: 'Allow',
            Action: ['s3:GetObject'],
            Resource: { 'Fn::Sub': `arn:\${AWS::Partition}:s3:::reports/may.csv` },
          },
        ],
      },
    });
  });
});

describe('a role', () => {
  const roleArn = 'arn:aws:iam::123456789012:role/hookloom-dev/orders';
  const credential = (fields: Readonly<Record<string, string>>): LentCredential => ({
    id: 'orders',
    type: 'awsRole',
    field: (name) => fields[name] ?? '',
    checkHost: () => {},
    refresh: async () => null,
  });

  /** STS and DynamoDB in one. */
  const start = (role: string | null = null) => {
    let assumed = 0;
    return servers.start(
      ['STS', 'DYNAMODB'],
      ({ body }, response) => {
        if (!body.includes('Action=AssumeRole')) return answerJson(200, {})({} as never, response);
        assumed++;
        const expiration = new Date(Date.now() + 3_600_000).toISOString();
        response
          .writeHead(200)
          .end(
            `<AccessKeyId>ASIA${assumed}</AccessKeyId><SecretAccessKey>secret</SecretAccessKey><SessionToken>session-${assumed}</SessionToken><Expiration>${expiration}</Expiration>`,
          );
      },
      role,
    );
  };

  test('of a credential is assumed once for all calls with it, in its region', async () => {
    const { client, requests } = await start();
    const role = credential({ roleArn, externalId: 'partner-7', region: 'us-west-2' });
    await Promise.all([client.send({ ...put, credential: role }), client.send({ ...put, credential: role })]);
    const [assume, ...calls] = requests;
    expect(Object.fromEntries(new URLSearchParams(assume?.body.toString()))).toMatchObject({
      RoleArn: roleArn,
      ExternalId: 'partner-7',
    });
    expect(assume?.headers.authorization).toContain('own-key');
    expect(calls.map(({ headers }) => headers['x-amz-security-token'])).toEqual(['session-1', 'session-1']);
    expect(calls[0]?.headers.authorization).toContain('/us-west-2/dynamodb/');
  });

  test('of a credential signs nothing for a host that the credential does not allow', async () => {
    const { client, requests, endpoint } = await start();
    const asked: string[] = [];
    const refusing = {
      ...credential({ roleArn }),
      checkHost: (url: string) => {
        asked.push(url);
        throw new NodeError('not for this host', { name: 'CredentialNotForHost', isRetryable: false });
      },
    };
    expect(await errorOf(client, { credential: refusing })).toMatchObject({
      name: 'CredentialNotForHost',
      message: 'not for this host',
      isRetryable: false,
    });
    expect(asked).toEqual([`${endpoint}/`]);
    expect(requests.filter(({ body }) => !body.includes('Action=AssumeRole'))).toEqual([]);
  });

  test('of the service signs calls without a credential', async () => {
    const { client, requests } = await start('arn:aws:iam::123456789012:role/hookloom-dev/own');
    await client.send(put);
    await client.send({ ...put, credential: credential({ roleArn }) });
    const assumed = requests.flatMap(({ body }) => new URLSearchParams(body.toString()).get('RoleArn') ?? []);
    expect(assumed).toEqual(['arn:aws:iam::123456789012:role/hookloom-dev/own', roleArn]);
  });

  test('that cannot be assumed fails the call by name', async () => {
    const { client, requests } = await servers.start(['STS', 'DYNAMODB'], (_request, response) =>
      response.writeHead(403).end('<Code>AccessDenied</Code>'),
    );
    expect(await errorOf(client, { credential: credential({ roleArn }) })).toMatchObject({
      code: 'CREDENTIAL_REJECTED',
      message: 'POST sts.us-east-1.amazonaws.com rejected the credential: AccessDenied.',
    });
    expect(requests).toHaveLength(1);
  });
});
