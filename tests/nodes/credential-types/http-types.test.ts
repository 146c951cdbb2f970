import type { OutboundRequest } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { createKeySigner } from '../../../lib/adapters/aws/role-signer.ts';
import credentialTypes from '../../../nodes/credential-types/credential-types.plugin.ts';
import { aManualClock } from '../../support/a-manual-clock.ts';
import { anOutboundRequest } from '../../support/an-outbound-request.ts';
import { aServer, noTcp } from '../../support/outbound-credentials.ts';

const URL_OF_API = 'https://api.example.com/orders?page=2';

const typeOf = (id: string) => {
  const type = credentialTypes.credentialTypes?.find((candidate) => candidate.id === id);
  if (type === undefined) throw new Error(`there is no type ${id}`);
  return type;
};

const aContext = (http = aServer()) => ({
  http,
  tcp: noTcp,
  clock: aManualClock(),
  signal: new AbortController().signal,
});

describe('a request gets', () => {
  test.each([
    ['httpBearer', { token: 't0ken' }, { headers: { authorization: 'Bearer t0ken' } }],
    [
      'httpBasic',
      { username: 'ann', password: 'pässword' },
      { headers: { authorization: 'Basic YW5uOnDDpHNzd29yZA==' } },
    ],
    ['httpHeader', { name: 'X-Api-Key', value: 'k3y' }, { headers: { 'x-api-key': 'k3y' } }],
    [
      'httpHeader',
      { name: 'DD-API-KEY', value: 'k3y', secondName: 'DD-APPLICATION-KEY', secondValue: 'k3y-2' },
      { headers: { 'dd-api-key': 'k3y', 'dd-application-key': 'k3y-2' } },
    ],
    ['httpQuery', { name: 'key', value: 'a b&c' }, { url: `${URL_OF_API}&key=a+b%26c` }],
  ])('%s', async (id, fields, expected) => {
    const applied = await typeOf(id).apply?.(anOutboundRequest(URL_OF_API), fields, aContext());
    expect(applied).toMatchObject(expected);
  });

  test.each([{ secondName: 'x-app-key' }, { secondValue: 'k3y-2' }])(
    'no half of a second header: %j',
    (half) => {
      const fields = { name: 'x-api-key', value: 'k3y', ...half };
      expect(() => typeOf('httpHeader').apply?.(anOutboundRequest(URL_OF_API), fields, aContext())).toThrow(
        'a second header needs both fields',
      );
    },
  );

  test('one header per name, whatever the node has set', async () => {
    const request = anOutboundRequest(URL_OF_API, {
      headers: { Authorization: 'Bearer other', accept: '*/*' },
    });
    const applied = await typeOf('httpBearer').apply?.(request, { token: 't0ken' }, aContext());
    expect(applied?.headers).toEqual({ accept: '*/*', authorization: 'Bearer t0ken' });
  });
});

describe('the live test', () => {
  test.each([
    [204, 'healthy'],
    [401, 'unhealthy'],
  ])('with a response %d is %s', async (status, expected) => {
    const server = aServer(() => ({ status }));
    const fields = { token: 't0ken', testUrl: 'https://api.example.com/me' };
    expect(await typeOf('httpBearer').test?.(fields, aContext(server))).toEqual({
      status: expected,
      message: `api.example.com answered ${status}`,
    });
    expect(server.requests).toMatchObject([{ method: 'GET', headers: { authorization: 'Bearer t0ken' } }]);
  });

  test('is a warning without a testUrl, and calls nothing', async () => {
    const server = aServer();
    expect(
      await typeOf('httpBasic').test?.({ username: 'ann', password: 'x' }, aContext(server)),
    ).toMatchObject({
      status: 'warning',
    });
    expect(server.requests).toEqual([]);
  });
});

test('smtp and postgres only provide their fields: they add nothing to requests', () => {
  for (const id of ['smtp', 'postgres']) {
    expect(typeOf(id)).not.toHaveProperty('apply');
    expect(typeOf(id).secretFields).toEqual(['password']);
  }
});

describe('httpBody', () => {
  const fields = { name: 'api_key', value: 'k3y' };
  const send = (method: string, body: OutboundRequest['body']) =>
    typeOf('httpBody').apply?.(anOutboundRequest(URL_OF_API, { method, body }), fields, aContext());

  test.each([
    ['text', '{"query":"a"}'],
    ['bytes', new TextEncoder().encode('{"query":"a"}')],
  ])('adds its field to JSON that is sent as %s', async (_what, body) => {
    expect(await send('POST', body)).toMatchObject({
      body: '{"query":"a","api_key":"k3y"}',
      headers: { 'content-type': 'application/json' },
    });
  });

  test.each([
    ['{"id": 8202522731445525542}\n', '{"id": 8202522731445525542,"api_key":"k3y"}'],
    [' { } ', '{"api_key":"k3y"}'],
    ['{"api_key":1}', '{"api_key":"k3y"}'],
  ])('leaves the rest as it was written: %j', async (body, sent) => {
    expect(await send('POST', body)).toMatchObject({ body: sent });
  });

  test('is the whole body of a request without one', async () => {
    expect(await send('POST', null)).toMatchObject({ body: '{"api_key":"k3y"}' });
  });

  test.each([
    ['GET', null],
    ['POST', 'a=1'],
    ['POST', '[1]'],
    ['POST', (async function* () {})()],
  ])('refuses %s with the body %p', (method, body) => {
    expect(() => send(method, body)).toThrow('needs a request whose body is a JSON object');
  });

  test('is tested with a POST', async () => {
    const server = aServer();
    const tested = { ...fields, testUrl: 'https://api.example.com/me' };
    expect(await typeOf('httpBody').test?.(tested, aContext(server))).toMatchObject({ status: 'healthy' });
    expect(server.requests).toMatchObject([{ method: 'POST', body: '{"api_key":"k3y"}' }]);
  });
});

test('awsKeys signs with its key, as the example of AWS does', async () => {
  // https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html: GET Bucket Lifecycle
  const fields = {
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    region: 'us-east-1',
    service: 's3',
  };
  const request = anOutboundRequest('https://examplebucket.s3.amazonaws.com/?lifecycle', {
    headers: {
      'x-amz-content-sha256': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    },
  });
  const clock = { now: () => Date.parse('2013-05-24T00:00:00Z') };
  const signWithKeys = createKeySigner(clock);
  const signed = await typeOf('awsKeys').apply?.(request, fields, { ...aContext(), signWithKeys });
  expect(signed?.headers.authorization).toBe(
    'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, ' +
      'SignedHeaders=host;x-amz-content-sha256;x-amz-date, ' +
      'Signature=fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  );
  expect(() => typeOf('awsKeys').apply?.(request, fields, aContext())).toThrow('a later release');
});

test('awsRole signs with the role, or says where it cannot', async () => {
  const { apply } = typeOf('awsRole');
  const role = { roleArn: 'arn:aws:iam::123456789012:role/hookloom-dev/reports', externalId: 'partner-7' };
  const request = anOutboundRequest('https://s3.eu-west-1.amazonaws.com/bucket/key');
  const signWithRole = async (unsigned: typeof request, given: object) => ({
    ...unsigned,
    headers: { signed: JSON.stringify(given) },
  });
  expect(await apply?.(request, role, { ...aContext(), signWithRole })).toMatchObject({
    headers: { signed: JSON.stringify(role) },
  });
  expect(() => apply?.(request, role, aContext())).toThrow('works only in AWS');
});
