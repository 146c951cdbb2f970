import { afterEach, describe, expect, test } from '@jest/globals';
import { createLambdaDispatcher } from '../../../lib/adapters/aws/lambda-events.ts';
import { STORE_UNAVAILABLE } from '../../../lib/shared/error-catalogue.ts';
import { AppError } from '../../../lib/shared/errors.ts';
import { useCommandLine } from '../../../tests/support/a-command-line.ts';
import { aLocalServer, type LocalServer } from '../../../tests/support/a-local-server.ts';
import { explainAwsError } from '../command-error.ts';
import { connectTarget } from '../target.ts';

const openCommandLine = useCommandLine();
let server: LocalServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const USER = 'arn:aws:iam::123456789012:user/ada';
const TABLE = 'arn:aws:dynamodb:eu-central-1:123456789012:table/hookloom-production-workflows';
const denied = (reason = '') =>
  `User: ${USER} is not authorized to perform: dynamodb:Scan on resource: ${TABLE}${reason}`;

/** A command to a stage whose DynamoDB answers every call with this error. */
const migrate = async (type: string, message: string) => {
  server = await aLocalServer({
    '/': (_request, response) => {
      response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' });
      response.end(JSON.stringify({ __type: `com.amazon.coral.service#${type}`, message }));
    },
  });
  const { origin } = server;
  const openTarget = () => connectTarget({ dynamodbEndpoint: origin, tablePrefix: 'hookloom-production' });
  const { call } = await openCommandLine({ hasDatabase: false, openTarget });
  const { code, err } = await call('migrate --dry-run --stage production --region eu-central-1');
  return { code, err };
};

describe('refusals by AWS are explained, with what to do', () => {
  test.each([
    [
      'AccessDeniedException',
      denied(' because no identity-based policy allows the dynamodb:Scan action'),
      `AWS denies dynamodb:Scan on ${TABLE} to ${USER}, because no identity-based policy allows the dynamodb:Scan action.\nAsk for this permission`,
    ],
    [
      'ResourceNotFoundException',
      'Requested resource not found',
      'There is no stage "production" in eu-central-1',
    ],
    [
      'ExpiredTokenException',
      'The security token included in the request is expired',
      'have expired. Log in again',
    ],
    [
      'UnrecognizedClientException',
      'The security token included in the request is invalid.',
      'AWS does not recognise these',
    ],
    [
      'InvalidSignatureException',
      'Signature expired: 20261122T1 is now earlier than',
      "set this machine's clock",
    ],
    [
      'InvalidSignatureException',
      'The request signature we calculated does not match',
      'AWS does not recognise these',
    ],
  ])('%s: %s', async (type, message, said) => {
    const { code, err } = await migrate(type, message);
    expect(code).toBe(1);
    expect(err).toContain(said);
    expect(err).not.toContain('throttling');
  });

  test('a call without the SDK that is denied', async () => {
    const answer = {
      status: 403,
      headers: { 'x-amzn-errortype': 'AccessDeniedException' },
      body: Buffer.from(`{"Message":"User: ${USER} is not authorized to perform: lambda:InvokeFunction"}`),
      tries: 1,
      throttles: 0,
    };
    const dispatcher = createLambdaDispatcher(async () => answer, { durable: 'run:durable', express: 'run' });
    const error: unknown = await dispatcher.dispatch('e', 'express', 0).catch((cause) => cause);
    expect(explainAwsError(error, { stage: 'production' }, {})?.message).toContain(
      `AWS denies lambda:InvokeFunction to ${USER}.`,
    );
  });
});

test('the local service gets no explanations by AWS', () => {
  const error = new AppError(STORE_UNAVAILABLE, {}, new Error(`AccessDeniedException: ${denied()}`));
  expect(explainAwsError(error, {}, {})).toBeNull();
});

test.each([
  [
    'no credentials',
    Object.assign(new Error('Could not load credentials from any providers'), {
      name: 'CredentialsProviderError',
    }),
    /^No AWS credentials were found/,
  ],
  [
    'no such region',
    new Error('getaddrinfo ENOTFOUND dynamodb.eu-nowhere-1.amazonaws.com'),
    /^AWS can't be reached in eu-nowhere-1/,
  ],
])('%s as the cause of our own error', (_, cause, message) => {
  const error = new AppError(STORE_UNAVAILABLE, {}, new Error('the call failed', { cause }));
  const options = { stage: 'production', region: 'eu-nowhere-1' };
  expect(explainAwsError(error, options, {})?.message).toMatch(message);
});

test('any other error is reported unchanged', () => {
  const error = new AppError(STORE_UNAVAILABLE, {}, new Error('connect ECONNREFUSED'));
  expect(explainAwsError(error, { stage: 'production' }, {})).toBeNull();
});

test('messages to callers mention nothing of AWS', () => {
  const error = new AppError(STORE_UNAVAILABLE, {}, new Error(denied()));
  expect(JSON.stringify([error.message, error.title, error.parameters])).not.toMatch(/arn:|dynamodb:/);
});
