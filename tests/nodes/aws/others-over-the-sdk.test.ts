import type { AwsClient, JsonObject, PluginHandle } from '@hookloom/plugin-kit';
import { expect, test } from '@jest/globals';
import { email } from '../../../nodes/email/email.plugin.ts';
import { postgres } from '../../../nodes/postgres/postgres.plugin.ts';
import { theMail } from '../../support/a-mail-node.ts';
import { aNodeContext } from '../../support/a-node-context.ts';
import { answerJson, useAwsServers } from '../../support/an-aws-server.ts';

const { start } = useAwsServers();

/** Executes a node once, with the SDK itself. */
const call = (handle: PluginHandle, aws: AwsClient, parameters: JsonObject) => {
  const context = aNodeContext();
  const services = { ...context.services, aws };
  return handle.execute({ id: 'n', type: handle.id, parameters }, {}, { ...context, services });
};

test('a mail through SES is a signed request with the whole message', async () => {
  const { client, requests } = await start(['SESV2'], answerJson(200, { MessageId: 'ses-1' }));
  expect(await call(email, client, { ...theMail, via: 'ses' })).toMatchObject({ messageId: 'ses-1' });
  const [request] = requests;
  expect(request?.path).toBe('/v2/email/outbound-emails');
  expect(request?.headers.authorization).toContain('/ses/aws4_request');
  const { Data } = JSON.parse(request?.body.toString() ?? '').Content.Raw;
  expect(Buffer.from(Data, 'base64').toString()).toContain('Thank you.');
});

test('a mail that SES refuses fails the node by the name of the error', async () => {
  const refusal = { __type: 'MessageRejected', message: 'Email address is not verified.' };
  const { client } = await start(['SESV2'], answerJson(400, refusal));
  await expect(call(email, client, { ...theMail, via: 'ses' })).rejects.toMatchObject({
    name: 'MessageRejected',
    isRetryable: false,
  });
});

test('a query through the RDS Data API is a signed request with separate values', async () => {
  const columnMetadata = [{ label: 'id', name: 'id', typeName: 'int4' }];
  const answer = answerJson(200, { columnMetadata, records: [[{ longValue: 7 }]] });
  const { client, requests } = await start(['RDS_DATA'], answer);
  const output = await call(postgres, client, {
    via: 'rdsData',
    resourceArn: 'arn:aws:rds:eu-west-1:123456789012:cluster:shop',
    secretArn: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:shop-a1b2c3',
    database: 'shop',
    query: 'SELECT id FROM orders WHERE name = $1',
    values: ["x'; DROP TABLE orders; --"],
  });
  expect(output).toEqual({ rows: [{ id: 7 }] });
  const [request] = requests;
  expect(request?.path).toBe('/Execute');
  expect(request?.headers.authorization).toContain('/rds-data/aws4_request');
  expect(JSON.parse(request?.body.toString() ?? '')).toMatchObject({
    sql: 'SELECT id FROM orders WHERE name = :p1',
    parameters: [{ name: 'p1', value: { stringValue: "x'; DROP TABLE orders; --" } }],
  });
});
