import { expect, test } from '@jest/globals';
import aws4 from 'aws4';
import { createRoleSigner } from '../../../lib/adapters/aws/role-signer.ts';
import { aManualClock } from '../../support/a-manual-clock.ts';
import { anOutboundRequest } from '../../support/an-outbound-request.ts';

const ROLE = { roleArn: 'arn:aws:iam::123456789012:role/hookloom-dev/reports', externalId: 'partner-7' };
const OBJECT = 'https://s3.eu-west-1.amazonaws.com/bucket/a%20b?list-type=2';

const aSigner = (status = 200, code = '') => {
  const clock = aManualClock();
  const calls: string[] = [];
  const sign = createRoleSigner(
    () => async (request) => {
      calls.push(String(request.body));
      const expiration = new Date(clock.now() + 3_600_000).toISOString();
      const session = `<AccessKeyId>ASIA${calls.length}</AccessKeyId><SecretAccessKey>secret</SecretAccessKey><SessionToken>session</SessionToken><Expiration>${expiration}</Expiration>`;
      const body = status === 200 ? session : `<Error><Code>${code}</Code></Error>`;
      return { status, headers: {}, body: Buffer.from(body), tries: 1, throttles: 0 };
    },
    clock,
  );
  return { sign, clock, calls };
};

test('a role is assumed once for all requests until its session expires', async () => {
  const { sign, clock, calls } = aSigner();
  await Promise.all([sign(anOutboundRequest(OBJECT), ROLE), sign(anOutboundRequest(OBJECT), ROLE)]);
  clock.advance(3_539_000);
  await sign(anOutboundRequest(OBJECT), ROLE);
  expect(calls).toHaveLength(1);
  expect(Object.fromEntries(new URLSearchParams(calls[0]))).toMatchObject({
    Action: 'AssumeRole',
    RoleArn: ROLE.roleArn,
    ExternalId: 'partner-7',
  });
  clock.advance(1_000);
  await sign(anOutboundRequest(OBJECT), ROLE);
  expect(calls).toHaveLength(2);
});

test('a request has the same signature as from the library, without the headers that the client sets', async () => {
  const { sign, clock } = aSigner();
  const body = '{"a":1}';
  const request = anOutboundRequest(OBJECT, { method: 'PUT', headers: { Accept: '*/*' }, body });
  const signed = await sign(request, ROLE);
  const date = new Date(clock.now()).toISOString().replace(/[:-]|\.\d{3}/g, '');
  const expected = aws4.sign(
    {
      host: 's3.eu-west-1.amazonaws.com',
      method: 'PUT',
      path: '/bucket/a%20b?list-type=2',
      headers: { accept: '*/*', 'x-amz-date': date },
      body,
    },
    { accessKeyId: 'ASIA1', secretAccessKey: 'secret', sessionToken: 'session' },
  );
  expect(signed.url).toBe(OBJECT);
  expect(signed.headers.authorization).toBe(expected.headers?.Authorization);
  expect(signed.headers.authorization).toContain('/eu-west-1/s3/aws4_request');
  expect(signed.headers['x-amz-security-token']).toBe('session');
  expect(signed.headers).not.toHaveProperty('host');
  expect(signed.headers).not.toHaveProperty('content-length');
});

test.each([
  [403, 'AccessDenied', 'AccessDenied'],
  [500, '', 'it answered 500'],
])('an STS error, %d %s, rejects the credential', async (status, code, reason) => {
  const { sign } = aSigner(status, code);
  await expect(sign(anOutboundRequest(OBJECT), ROLE)).rejects.toMatchObject({
    code: 'CREDENTIAL_REJECTED',
    parameters: { reason },
  });
});

test('a streamed body is not part of the signature', async () => {
  const { sign } = aSigner();
  const stream = async function* () {
    yield Buffer.from('{"a":1}');
  };
  const request = anOutboundRequest(OBJECT, { method: 'PUT', body: stream(), bodyBytes: 7 });
  const signed = await sign(request, ROLE);
  expect(signed.body).toBe(request.body);
  expect(signed.headers['x-amz-content-sha256']).toBe('UNSIGNED-PAYLOAD');
});
