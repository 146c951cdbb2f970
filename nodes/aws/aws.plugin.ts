import { defineAction, definePlugin, isPlainObject, Type } from '@hookloom/plugin-kit';
import { callAws, parameters } from './call-aws.ts';

export const aws = defineAction({
  id: 'aws',
  name: 'AWS',
  description:
    'Calls an operation of an AWS service, with the input and output of the AWS SDK for JavaScript. If a permission is missing, the error names the IAM statement to add',
  outputs: { main: Type.Object({}) },
  parameters,
  credentials: { types: ['awsRole'] },
  awsCalls: ({ service, operation, input, region }) => [
    {
      service: String(service),
      operation: String(operation),
      input: isPlainObject(input) ? input : {},
      ...(typeof region === 'string' ? { region } : {}),
    },
  ],
  example: {
    parameters: {
      service: 'dynamodb',
      operation: 'PutItem',
      input: {
        TableName: 'orders',
        Item: { orderId: { S: '{{ id }}' }, total: { N: '{{ $string(total) }}' } },
        ConditionExpression: 'attribute_not_exists(orderId)',
        ReturnConsumedCapacity: 'TOTAL',
      },
    },
    input: { id: 'A-1', total: 120 },
    output: { ConsumedCapacity: { TableName: 'orders', CapacityUnits: 1 } },
  },
  execute: async ({ parameters: given, context }) => callAws(given, context),
});

/** The node that calls AWS services through the SDK. */
export default definePlugin({
  id: 'aws',
  name: 'AWS',
  version: '1.0.0',
  description: 'Calls any operation of any AWS service',
  category: 'aws',
  handles: [aws],
});
