import { expect, test } from '@jest/globals';
import { presign } from '../../../lib/adapters/blobs/presign.ts';

const request = {
  method: 'GET',
  origin: 'https://examplebucket.s3.amazonaws.com',
  region: 'us-east-1',
  key: 'test.txt',
  headers: {},
  from: Date.UTC(2013, 4, 24),
  seconds: 86_400,
};
const credentials = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};

// https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
test('signs the AWS example as AWS does', () => {
  const { origin, pathname, searchParams } = new URL(presign(request, credentials));
  expect([origin, pathname]).toEqual([request.origin, '/test.txt']);
  expect(Object.fromEntries(searchParams)).toEqual({
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': 'AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request',
    'X-Amz-Date': '20130524T000000Z',
    'X-Amz-Expires': '86400',
    'X-Amz-SignedHeaders': 'host',
    'X-Amz-Signature': 'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  });
});

test('signs each header, and includes the session token', () => {
  const headers = { 'content-length': '5', 'content-type': 'text/csv; charset=utf-8' };
  const url = presign({ ...request, method: 'PUT', headers }, { ...credentials, sessionToken: 'a+b/c=' });
  expect(Object.fromEntries(new URL(url).searchParams)).toMatchObject({
    'X-Amz-SignedHeaders': 'content-length;content-type;host',
    'X-Amz-Security-Token': 'a+b/c=',
  });
});
