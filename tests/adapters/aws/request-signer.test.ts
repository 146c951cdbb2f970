import { expect, test } from '@jest/globals';
import aws4 from 'aws4';
import { createRequestSigner } from '../../../lib/adapters/aws/request-signer.ts';

const accessKeyId = 'AKIDEXAMPLE';
const secretAccessKey = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';

const aRequest = (changes: object = {}) => ({
  service: 'dynamodb',
  region: 'eu-central-1',
  host: 'dynamodb.eu-central-1.amazonaws.com',
  method: 'POST',
  path: '/',
  headers: { 'content-type': 'application/x-amz-json-1.0', 'X-Amz-Date': '20261122T100000Z' },
  body: '{"TableName":"ö"}',
  ...changes,
});

// The test suite of AWS, "get-vanilla": https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-signing-examples.html
test('signs as the published example', () => {
  const { headers } = createRequestSigner()(
    {
      service: 'service',
      region: 'us-east-1',
      method: 'GET',
      path: '/',
      headers: { Host: 'example.amazonaws.com', 'X-Amz-Date': '20150830T123600Z' },
    },
    { accessKeyId, secretAccessKey },
  );
  expect(headers?.Authorization).toBe(
    'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
  );
});

test('signs each request as the library does, whatever it has signed before', () => {
  const sign = createRequestSigner();
  const nextDay = { headers: { 'X-Amz-Date': '20261123T000000Z' } };
  const calls = [
    [{}, secretAccessKey],
    [{}, secretAccessKey],
    [nextDay, secretAccessKey],
    [nextDay, 'renewed'],
    [{ ...nextDay, region: 'us-east-1' }, 'renewed'],
    [{ ...nextDay, service: 's3', path: '/a%20b?list-type=2' }, 'renewed'],
    [{ signQuery: true, service: 's3', path: '/key' }, secretAccessKey],
    [{}, secretAccessKey],
  ] as const;
  for (const [changes, secret] of calls) {
    const credentials = { accessKeyId, secretAccessKey: secret, sessionToken: 'session' };
    const expected = aws4.sign(aRequest(changes), credentials);
    expect(sign(aRequest(changes), credentials)).toEqual(expected);
  }
});
