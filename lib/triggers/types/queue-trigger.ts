import {
  closed,
  defineTrigger,
  isPlainObject,
  type JsonObject,
  type JsonValue,
  orNull,
  parseJson,
  type RegistrationContext,
  RegistrationRefused,
  Type,
} from '@hookloom/plugin-kit';
import * as Given from '@hookloom/plugin-kit/given';
import { readFailure, requireSuccess } from './aws-failure.ts';

/** ARN of a queue: `arn:PARTITION:sqs:REGION:ACCOUNT:NAME`. */
const QUEUE_ARN = /^arn:[a-z-]+:sqs:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]{1,80}(?:\.fifo)?$/;

/**
 * Maximum batch size of a FIFO queue: https://docs.aws.amazon.com/lambda/latest/api/API_CreateEventSourceMapping.html
 */
const MAX_FIFO_BATCH = 10;
const MAX_BATCH_WITHOUT_WINDOW = 10;

const message = {
  id: '1',
  body: { total: 7 },
  sentAt: '2026-01-01T00:00:00.000Z',
  groupId: null,
  attributes: {},
};

const fired = { triggeredAt: Type.String(), triggerType: Type.String() };

const messageSchema = closed({
  id: Type.String(),
  body: Type.Unknown(),
  sentAt: Type.String(),
  groupId: orNull(Type.String()),
  attributes: Type.Record(Type.String(), orNull(Type.String())),
});

/**
 * Fires when a message arrives in an SQS queue, by means of an event source mapping. A message is deleted once its
 * execution is stored. Each queue can have only one trigger.
 * https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html
 */
export const queueTrigger = defineTrigger({
  id: 'queueTrigger',
  name: 'Queue',
  description: 'Starts the workflow when a message arrives in an SQS queue, standard or FIFO',
  parameters: Type.Object({
    queue: Type.String({ description: 'ARN of the queue, `arn:aws:sqs:REGION:ACCOUNT:NAME`' }),
    perBatch: Type.Optional(
      Type.Boolean({
        description: 'Start one execution per batch of messages, instead of one per message',
        default: false,
      }),
    ),
    batchSize: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10_000,
        description: 'Maximum number of messages per batch',
        default: 10,
      }),
    ),
    batchWindowSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 300,
        description: 'How long to wait for a batch to fill up',
        default: 0,
      }),
    ),
    maxConcurrency: Type.Optional(
      Type.Integer({
        minimum: 2,
        maximum: 1_000,
        description: 'Maximum number of batches processed concurrently',
      }),
    ),
  }),
  literalParameters: ['queue'],
  checkParameters: ({ queue, batchSize = 10, batchWindowSeconds = 0 }) => {
    if (typeof queue !== 'string' || !QUEUE_ARN.test(queue))
      return [{ path: '/queue', message: 'must be the ARN of a queue: arn:aws:sqs:REGION:ACCOUNT:NAME' }];
    const isFifo = queue.endsWith('.fifo');
    if (isFifo && Number(batchSize) > MAX_FIFO_BATCH)
      return [{ path: '/batchSize', message: `must be at most ${MAX_FIFO_BATCH} for a FIFO queue` }];
    if (isFifo && batchWindowSeconds !== 0)
      return [{ path: '/batchWindowSeconds', message: 'is not available for FIFO queues: remove it' }];
    if (Number(batchSize) <= MAX_BATCH_WITHOUT_WINDOW || batchWindowSeconds !== 0) return [];
    const message = `must be at least 1 for batches of more than ${MAX_BATCH_WITHOUT_WINDOW} messages`;
    return [{ path: '/batchWindowSeconds', message }];
  },
  outputs: {
    main: Given.by(
      'perBatch',
      {
        false: closed({ ...fired, message: messageSchema }),
        true: closed({ ...fired, messages: Type.Array(messageSchema) }),
      },
      false,
    ),
  },
  firedBy: {
    resourceOf: ({ queue }) => String(queue),
    takesBatches: ({ perBatch }) => perBatch === true,
    register: async ({ parameters }, { callAws, dispatchArn }) => {
      const queue = String(parameters.queue);
      await requireQueue(queue, callAws);
      const body = toMapping(parameters, dispatchArn);
      const callLambda = (method: 'PUT' | 'POST', id: string, body: JsonObject) =>
        callAws({ service: 'lambda', method, path: `${MAPPINGS}${id}`, body });
      const update = async () => {
        const [mapping] = await findMappings(queue, dispatchArn, callAws);
        return mapping === undefined ? null : callLambda('PUT', mapping.uuid, body);
      };
      const create = () => callLambda('POST', '', { ...body, EventSourceArn: queue });
      const made = (await update()) ?? (await create());
      // A mapping from an earlier attempt whose answer was lost.
      const isThere = readFailure(made)?.name === 'ResourceConflictException';
      const answer = (isThere ? await update() : null) ?? made;
      const failure = readFailure(answer);
      if (failure?.name === 'InvalidParameterValueException')
        throw new RegistrationRefused(failure.message, '/queue');
      requireSuccess('Lambda', answer);
    },
    unregister: async ({ parameters }, { callAws, dispatchArn }) => {
      for (const { uuid } of await findMappings(String(parameters.queue), dispatchArn, callAws)) {
        const answer = await callAws({ service: 'lambda', method: 'DELETE', path: `${MAPPINGS}${uuid}` });
        requireSuccess('Lambda', answer, 'ResourceNotFoundException');
      }
    },
    inspect: async ({ parameters }, { callAws, dispatchArn }) => {
      const [mapping] = await findMappings(String(parameters.queue), dispatchArn, callAws);
      if (mapping === undefined) return 'missing';
      return mapping.state.startsWith('Disabl') ? 'off' : 'on'; // Disabling, Disabled
    },
    toInput: (event) =>
      Array.isArray(event.Records)
        ? { messages: (event.Records as JsonObject[]).map(toMessage) }
        : { message: toMessage(event) },
    toKey: (event) =>
      Array.isArray(event.Records)
        ? (event.Records as JsonObject[])
            .map(({ messageId }) => String(messageId))
            .sort()
            .join(' ')
        : String(event.messageId),
  },
  example: {
    parameters: { queue: 'arn:aws:sqs:us-east-1:123456789012:orders' },
    input: { message },
    output: { triggeredAt: '2026-01-01T00:00:00.000Z', triggerType: 'queue', message },
  },
  execute: ({ input, context }) => ({
    triggeredAt: new Date(context.services.clock.now()).toISOString(),
    triggerType: 'queue',
    ...input,
  }),
});

const MAPPINGS = '/2015-03-31/event-source-mappings/';

type CallAws = RegistrationContext['callAws'];

/** @throws RegistrationRefused if there is none */
const requireQueue = async (queue: string, callAws: CallAws): Promise<void> => {
  const [, , , , QueueOwnerAWSAccountId = '', QueueName = ''] = queue.split(':');
  const answer = await callAws({
    service: 'sqs',
    method: 'POST',
    path: '/',
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'AmazonSQS.GetQueueUrl' },
    body: { QueueName, QueueOwnerAWSAccountId },
  });
  const failure = readFailure(answer);
  if (failure !== null && /QueueDoesNotExist|NonExistentQueue/.test(failure.name))
    throw new RegistrationRefused(`there is no queue ${queue}`, '/queue');
  requireSuccess('SQS', answer);
};

/** The mappings from a queue to the function: at most one. */
const findMappings = async (
  queue: string,
  dispatchArn: string,
  callAws: CallAws,
): Promise<readonly { readonly uuid: string; readonly state: string }[]> => {
  const query = new URLSearchParams({ EventSourceArn: queue, FunctionName: dispatchArn });
  const answer = await callAws({ service: 'lambda', method: 'GET', path: `${MAPPINGS}?${query}` });
  requireSuccess('Lambda', answer, 'ResourceNotFoundException');
  const { EventSourceMappings: mappings } = answer.body;
  return (Array.isArray(mappings) ? mappings : [])
    .filter(isPlainObject)
    .map(({ UUID, State }) => ({ uuid: String(UUID), state: String(State) }));
};

const toMapping = (
  { batchSize = 10, batchWindowSeconds = 0, maxConcurrency }: JsonObject,
  FunctionName: string,
): JsonObject => ({
  FunctionName,
  Enabled: true,
  BatchSize: batchSize,
  MaximumBatchingWindowInSeconds: batchWindowSeconds,
  FunctionResponseTypes: ['ReportBatchItemFailures'],
  ScalingConfig: maxConcurrency === undefined ? {} : { MaximumConcurrency: maxConcurrency },
});

const toMessage = ({ messageId, body, attributes, messageAttributes }: JsonObject): JsonObject => {
  const { SentTimestamp, MessageGroupId } = isPlainObject(attributes) ? attributes : {};
  return {
    id: String(messageId),
    body: parseJsonOrText(String(body)),
    sentAt: new Date(Number(SentTimestamp ?? 0)).toISOString(),
    groupId: typeof MessageGroupId === 'string' ? MessageGroupId : null,
    attributes: isPlainObject(messageAttributes) ? toValues(messageAttributes) : {},
  };
};

const toValues = (attributes: Readonly<Record<string, unknown>>): JsonObject =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, attribute]) => {
      const { stringValue = null } = isPlainObject(attribute) ? (attribute as JsonObject) : {};
      return [name, stringValue];
    }),
  );

const parseJsonOrText = (text: string): JsonValue => {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
};
