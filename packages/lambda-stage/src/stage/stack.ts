import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import { createClient } from '../database/client.ts';
import { ensureTable } from '../database/ensure-table.ts';
import { StartError } from '../database/start-error.ts';
import type { JsonObject } from '../net/json.ts';
import { startInternalServer } from '../net/listen.ts';
import type { Queues } from '../sources/queues.ts';
import type { ResolvedResource, ResolvedTemplate } from './door/template.ts';

const ofType = ({ resources }: ResolvedTemplate, wanted: string): readonly ResolvedResource[] =>
  Object.values(resources).filter(({ type }) => type === wanted);

/** Creates the tables of a template and further ones. */
export const createTables = async (
  template: ResolvedTemplate,
  others: readonly CreateTableCommandInput[],
  endpoint: string,
): Promise<void> => {
  const client = createClient(endpoint, template.region);
  const definitions = ofType(template, 'AWS::DynamoDB::Table').map(
    ({ properties }) => properties as unknown as CreateTableCommandInput,
  );
  await Promise.all(
    [...definitions, ...others].map(
      ({ TableName, BillingMode, AttributeDefinitions, KeySchema, GlobalSecondaryIndexes }) =>
        ensureTable(client, {
          TableName,
          BillingMode,
          AttributeDefinitions,
          KeySchema,
          ...(GlobalSecondaryIndexes === undefined ? {} : { GlobalSecondaryIndexes }),
        }),
    ),
  );
  client.destroy();
};

/** Creates the queues of a template and those that a deployer has elsewhere. */
export const createQueues = (
  template: ResolvedTemplate,
  others: readonly string[],
  { operations }: Queues,
): void => {
  for (const { arn, properties } of ofType(template, 'AWS::SQS::Queue')) {
    const { RedrivePolicy } = properties;
    operations.CreateQueue?.({
      QueueName: arn?.split(':').at(-1) ?? '',
      Attributes: RedrivePolicy === undefined ? {} : { RedrivePolicy: JSON.stringify(RedrivePolicy) },
    });
  }
  for (const name of others) {
    const deadLetters = name.replace(/(\.fifo)?$/, '-dead-letters$1');
    operations.CreateQueue?.({ QueueName: deadLetters });
    const policy = {
      maxReceiveCount: 3,
      deadLetterTargetArn: `arn:aws:sqs:${template.region}:${template.account}:${deadLetters}`,
    };
    operations.CreateQueue?.({ QueueName: name, Attributes: { RedrivePolicy: JSON.stringify(policy) } });
  }
};

/** How long a custom resource may take; CloudFormation waits longer, as set in the template. */
const ANSWER_MS = 60_000;

/** Invokes the function of a custom resource, as CloudFormation does. */
type InvokeAsync = (functionArn: string, event: JsonObject) => Promise<unknown>;

/**
 * Creates or deletes the custom resources of a template: each is a function that sends its response to a URL.
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/crpg-ref-requesttypes.html
 *
 * @throws StartError when one reports a failure or does not respond
 */
export const requestCustomResources = async (
  template: ResolvedTemplate,
  requestType: 'Create' | 'Delete',
  invoke: InvokeAsync,
): Promise<void> => {
  const { partition, region, account, stackName } = template;
  const resources = Object.values(template.resources).filter(
    ({ type }) => type === 'AWS::CloudFormation::CustomResource' || type.startsWith('Custom::'),
  );
  for (const { logicalId, type, properties } of resources) {
    const answer = Promise.withResolvers<JsonObject>();
    const server = await startInternalServer(
      createServer(async (request, response) => {
        const content = await text(request);
        response.end();
        answer.resolve(JSON.parse(content));
      }),
    );
    const timer = setTimeout(
      () => answer.reject(new StartError(`${logicalId} did not respond to CloudFormation's ${requestType}.`)),
      ANSWER_MS,
    );
    try {
      await invoke(String(properties.ServiceToken), {
        RequestType: requestType,
        RequestId: randomUUID(),
        ResponseURL: `${server.endpoint}/${logicalId}?signature=of-cloudformation`,
        ResourceType: type,
        LogicalResourceId: logicalId,
        StackId: `arn:${partition}:cloudformation:${region}:${account}:stack/${stackName}/1`,
        ResourceProperties: properties as JsonObject,
        ...(requestType === 'Create' ? {} : { PhysicalResourceId: 'registrations' }),
      });
      const { Status, Reason } = await answer.promise;
      if (Status !== 'SUCCESS') throw new StartError(`${logicalId}: ${requestType} failed: ${Reason}`);
    } finally {
      clearTimeout(timer);
      await server.stop();
    }
  }
};
