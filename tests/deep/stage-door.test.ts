import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Door, resolveTemplate, startDoor } from 'lambda-stage/door';
import { readStageTemplate } from '../support/a-stage-template.ts';
import { projectRoot } from '../support/run-command.ts';

const account = '123456789012';
const region = 'us-east-1';
const everything = { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: '*', Resource: '*' }] };

let door: Door;
const template = resolveTemplate(readStageTemplate(), { account, region, stackName: 'hookloom-dev' });
const bucket = String(template.resources.BlobBucket?.ref);
const backend = createServer((request, response) => {
  response
    .setHeader('content-type', 'application/x-amz-json-1.0')
    .end(JSON.stringify({ TableNames: [request.url] }));
});
/** Whatever is not AWS: it answers every connection with the same word. */
const elsewhere = createTcpServer((socket) => socket.end('elsewhere'));
const originOf = (server: { address(): unknown }) =>
  `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

beforeAll(async () => {
  for (const server of [backend, elsewhere])
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = originOf(backend);
  door = await startDoor({
    template,
    backends: { dynamodb: origin, lambda: origin, 'execute-api': origin },
    users: { admin: [everything] },
  });
});
afterAll(async () => {
  await door.stop();
  for (const server of [backend, elsewhere]) server.close();
});

/** Runs a program as a function runs: with its own environment alone, and the flags of the door. */
const run = async (
  principal: string,
  program: string,
  flags: readonly string[] = door.nodeFlags,
): Promise<unknown> => {
  const { accessKeyId, secretAccessKey, sessionToken } = await door.credentialsOf(principal);
  const child = spawn(process.execPath, [...flags, '--input-type=module', '--eval', program], {
    cwd: projectRoot,
    env: {
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      ...(sessionToken === undefined ? {} : { AWS_SESSION_TOKEN: sessionToken }),
    },
  });
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (output === '') throw new Error(errors);
  return JSON.parse(output);
};

test('the SDK reaches the door under the hosts of AWS, with all its signed requests', async () => {
  const program = `
    import { Readable } from 'node:stream';
    import { DeleteObjectCommand, GetObjectCommand, HeadObjectCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
    import { GetFunctionConfigurationCommand, InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
    import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
    import { GetParameterCommand, PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
    import { AssumeRoleCommand, GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
    const results = {};
    const s3 = new S3Client(), Bucket = '${bucket}', Key = 'executions/a b/ä+(1).json';
    await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'hello', Metadata: { of: 'it' } }));
    results.object = await (await s3.send(new GetObjectCommand({ Bucket, Key }))).Body.transformToString();
    const Body = Readable.from([Buffer.from('a '), Buffer.from('stream')]);
    await s3.send(new PutObjectCommand({ Bucket, Key: 'streamed', Body, ContentLength: 8 }));
    results.stream = await (await s3.send(new GetObjectCommand({ Bucket, Key: 'streamed' }))).Body.transformToString();
    results.size = (await s3.send(new HeadObjectCommand({ Bucket, Key }))).ContentLength;
    await s3.send(new DeleteObjectCommand({ Bucket, Key: 'streamed' }));
    results.keys = (await s3.send(new ListObjectsV2Command({ Bucket }))).Contents.map(({ Key }) => Key);
    results.tables = (await new DynamoDBClient().send(new ListTablesCommand({}))).TableNames;
    const lambda = new LambdaClient();
    results.invoked = (await lambda.send(new InvokeCommand({ FunctionName: 'hookloom-dev-sweep:1', Payload: '{}' }))).StatusCode;
    await lambda.send(new GetFunctionConfigurationCommand({ FunctionName: 'hookloom-dev-sweep' }));
    const ssm = new SSMClient();
    await ssm.send(new PutParameterCommand({ Name: '/a/b', Value: 'c', Type: 'SecureString' }));
    results.parameter = (await ssm.send(new GetParameterCommand({ Name: '/a/b', WithDecryption: true }))).Parameter.Value;
    const sts = new STSClient();
    results.caller = (await sts.send(new GetCallerIdentityCommand({}))).Arn;
    const RoleArn = '${template.resources.WorkflowRole?.arn}';
    results.refused = await sts.send(new AssumeRoleCommand({ RoleArn, RoleSessionName: 'it' })).then(String, ({ name }) => name);
    console.log(JSON.stringify(results));`;
  expect(await run('admin', program)).toEqual({
    object: 'hello',
    stream: 'a stream',
    size: 5,
    keys: ['executions/a b/ä+(1).json'],
    tables: ['/'],
    invoked: 200,
    parameter: 'c',
    caller: `arn:aws:iam::${account}:user/admin`,
    refused: 'AccessDenied',
  });
});

test('the SDK understands refusals', async () => {
  const program = `
    import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
    import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
    import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
    import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
    const nameOf = (call) => call.then(() => 'allowed', ({ name }) => name);
    const wrong = { credentials: { accessKeyId: process.env.AWS_ACCESS_KEY_ID, sessionToken: process.env.AWS_SESSION_TOKEN, secretAccessKey: 'no' } };
    console.log(JSON.stringify(await Promise.all([
      nameOf(new S3Client().send(new GetObjectCommand({ Bucket: '${bucket}', Key: 'other' }))),
      nameOf(new S3Client().send(new GetObjectCommand({ Bucket: '${bucket}', Key: 'executions/none' }))),
      nameOf(new S3Client(wrong).send(new GetObjectCommand({ Bucket: '${bucket}', Key: 'other' }))),
      nameOf(new LambdaClient().send(new InvokeCommand({ FunctionName: 'hookloom-dev-runDurable' }))),
      nameOf(new LambdaClient(wrong).send(new InvokeCommand({ FunctionName: 'hookloom-dev-runDurable' }))),
      nameOf(new DynamoDBClient().send(new ListTablesCommand({}))),
      nameOf(new DynamoDBClient(wrong).send(new ListTablesCommand({}))),
      nameOf(new DynamoDBClient({ region: 'us-east-1', systemClockOffset: 360_000, maxAttempts: 1 }).send(new ListTablesCommand({}))),
      nameOf(new STSClient(wrong).send(new AssumeRoleCommand({ RoleArn: '${template.resources.WorkflowRole?.arn}', RoleSessionName: 'it' }))),
    ])));`;
  expect(await run('WebhookRole', program)).toEqual([
    'AccessDenied',
    'NoSuchKey',
    'SignatureDoesNotMatch',
    'AccessDeniedException',
    'InvalidSignatureException',
    'AccessDeniedException',
    'InvalidSignatureException',
    'InvalidSignatureException',
    'SignatureDoesNotMatch',
  ]);
});

/** Sends every name to this machine, so that no test reaches another one. */
const lookup = `(host, options, done) => done(null, [{ address: '127.0.0.1', family: 4 }])`;

test('only AWS hosts are redirected', async () => {
  const { port } = elsewhere.address() as AddressInfo;
  const program = `
    import { request } from 'node:https';
    import { connect } from 'node:net';
    import { text } from 'node:stream/consumers';
    const lookup = ${lookup};
    const get = (options) => new Promise((resolve) =>
      request({ ...options, lookup }, (response) => resolve(response.resume().statusCode)).on('error', ({ code }) => resolve(code)).end());
    const fetchStatus = async (url) => {
      const response = await fetch(url);
      await response.text();
      return response.status;
    };
    console.log(JSON.stringify({
      local: await text(connect(${port}, '127.0.0.1')),
      otherPort: await text(connect({ host: 'sts.amazonaws.com', port: ${port}, lookup })),
      otherHost: await get({ host: 'sts.amazonaws.com.example' }),
      otherName: await get({ host: 'stsamazonaws.com' }),
      byAddress: await get({ host: '127.0.0.1', port: ${door.port}, servername: 'example.com' }),
      fetched: await fetchStatus('https://sts.amazonaws.com/'),
      gateway: await fetchStatus('https://abc.execute-api.${region}.amazonaws.com/path'),
      requested: await get({ host: 'sqs.eu-west-1.amazonaws.com' }),
      environment: Object.keys(process.env).filter((name) => !name.startsWith('AWS_')),
    }));`;
  expect(await run('WebhookRole', program)).toEqual({
    local: 'elsewhere',
    otherPort: 'elsewhere',
    otherHost: 'ECONNREFUSED',
    otherName: 'ECONNREFUSED',
    byAddress: 400,
    fetched: 403,
    gateway: 200,
    requested: 400,
    environment: [],
  });
});

test('without the flags, nothing is redirected, and the door is not trusted', async () => {
  const program = `
    import { request } from 'node:https';
    const get = (options) => new Promise((resolve) =>
      request(options, (response) => resolve(response.resume().statusCode)).on('error', ({ code }) => resolve(code)).end());
    console.log(JSON.stringify([
      await get({ host: 'sts.amazonaws.com', lookup: ${lookup} }),
      await get({ host: '127.0.0.1', port: ${door.port}, servername: 'sts.amazonaws.com' }),
    ]));`;
  expect(await run('WebhookRole', program, [])).toEqual(['ECONNREFUSED', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE']);
});
