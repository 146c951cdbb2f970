import { defineAction, definePlugin, isPlainObject, Type } from '@hookloom/plugin-kit';
import { callAws } from './call-aws.ts';

export const aws = defineAction({
  id: 'aws',
  name: 'AWS',
  description:
    'Calls an operation of an AWS service, with the input and output of the AWS SDK for JavaScript. If a permission is missing, the error names the IAM statement to add',
  parameters: Type.Object({
    service: Type.String({
      minLength: 1,
      maxLength: 100,
      description:
        "The SDK's client package without @aws-sdk/client-, such as dynamodb, s3, sesv2 or bedrock-runtime",
    }),
    operation: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'The operation, such as PutItem or putItem',
    }),
    input: Type.Object(
      {},
      {
        default: {},
        description:
          'The input of the operation. { "$base64": text } is sent as bytes, { "$date": ISO 8601 } as a time, and a file as its content',
      },
    ),
    region: Type.Optional(
      Type.String({
        pattern: '^[a-z0-9-]{1,40}$',
        description: 'The region; by default the region of the service',
      }),
    ),
    bytesAs: Type.Enum(['auto', 'file', 'text', 'json', 'base64'], {
      default: 'auto',
      description:
        'What bytes in the output become: a file, UTF-8 text, parsed JSON, or { "$base64": text }. auto: a stream, such as Body of s3 GetObject, becomes a file, other bytes become base64',
    }),
    fileName: Type.Optional(
      Type.String({ maxLength: 255, description: 'Name of the file; by default the last part of input.Key' }),
    ),
    maxFileBytes: Type.Integer({
      minimum: 1,
      maximum: 50_000_000_000,
      default: 1_073_741_824,
      description: 'A larger file fails the node, within the limit of the service (MAX_FILE_BYTES)',
    }),
    maxOutputBytes: Type.Integer({
      minimum: 1,
      maximum: 33_554_432,
      default: 6_291_456,
      description: 'A larger answer, not counting files, fails the node; 6 MiB by default',
    }),
  }),
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
  execute: async ({ parameters, context }) => callAws(parameters, context),
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
