import { expect, test } from '@jest/globals';
import type { WorkflowDefinition } from '../../../../lib/workflows/definition/definition.ts';
import { readSample, sampleNames } from '../../../../tests/support/shown-workflows.ts';
import { createLocalEnvironment } from '../../backend.ts';
import { STAND_IN_ADDRESS } from '../../samples/stand-in-address.ts';

const endpoints = {
  dynamodbEndpoint: '',
  engineEndpoint: '',
  blobFolder: '',
  uploadEndpoint: '',
  secretsFolder: '',
  sourcesEndpoint: '',
};

/** Node types whose addresses are those of callers. */
const withCallers = ['webhookTrigger', 'respondToWebhook'];

test('the samples call only the stand-in, which the local service allows', () => {
  const samples = sampleNames.map((name) => {
    const { nodes } = readSample(name) as unknown as WorkflowDefinition;
    return JSON.stringify(nodes.filter(({ type }) => !withCallers.includes(type)));
  });
  const hosts = samples.flatMap((text) => [...text.matchAll(/https?:\/\/([^/"]+)/g)].map(([, host]) => host));
  const { host, port, mailPort } = STAND_IN_ADDRESS;
  expect(new Set(hosts)).toEqual(new Set([`${host}:${port}`]));
  expect(createLocalEnvironment(endpoints, '').initial).toMatchObject({
    OUTBOUND_ALLOW: `${host}:${port},${host}:${mailPort}`,
    AWS_ENDPOINT_URL_S3: `http://${host}:${port}/s3`,
    AWS_ENDPOINT_URL_DYNAMODB: `http://${host}:${port}`,
  });
});
