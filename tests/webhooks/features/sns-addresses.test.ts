import { expect, test } from '@jest/globals';
import { findSnsAddresses } from '../../../lib/webhooks/features/sender/sns-addresses.ts';

test.each([
  ['aws', 'eu-west-1', 'sns.eu-west-1.amazonaws.com', 'sns.amazonaws.com'],
  ['aws', 'af-south-1', 'sns.af-south-1.amazonaws.com', 'sns-signing.af-south-1.amazonaws.com'],
  ['aws-cn', 'cn-north-1', 'sns.cn-north-1.amazonaws.com.cn', 'sns-cn-north-1.amazonaws.com.cn'],
  ['aws-us-gov', 'us-gov-east-1', 'sns.us-gov-east-1.amazonaws.com', 'sns-us-gov-west-1.amazonaws.com'],
  ['aws-iso', 'us-iso-east-1', 'sns.us-iso-east-1.c2s.ic.gov', 'sns-us-iso-east-1.c2s.ic.gov'],
  [
    'aws-eusc',
    'eusc-de-east-1',
    'sns.eusc-de-east-1.amazonaws.eu',
    'sns-signing.eusc-de-east-1.amazonaws.eu',
  ],
])('a topic of %s in %s is served at %s, and signs as %s', (partition, region, host, name) => {
  const found = findSnsAddresses(`arn:${partition}:sns:${region}:123456789012:orders`);
  expect(found.host).toBe(host);
  expect(found.names).toContain(name);
});
