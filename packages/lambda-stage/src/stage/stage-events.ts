import { randomUUID } from 'node:crypto';
import { StartError } from '../database/start-error.ts';
import type { AsyncInvocation } from '../engine/state-store.ts';
import { ApiError } from '../net/api-error.ts';
import type { JsonObject } from '../net/json.ts';
import type { ProcessPool } from '../pool/process-pool.ts';
import { type Deliver, readDeadLetters } from '../sources/deliver.ts';
import type { DeliverBatch, Queues } from '../sources/queues.ts';
import { readScheduleTimes } from '../sources/schedule-times.ts';
import { readFailures, type Sources } from '../sources/serve-sources.ts';
import type { StreamMapping } from '../sources/streams.ts';
import type { DeployedFunction } from './deployed-functions.ts';
import type { Door } from './door/door-types.ts';
import type { ResolvedTemplate } from './door/template.ts';
import type { StageLambda } from './stage-lambda.ts';

// How AWS services deliver to a stage's functions, each with the role or policy that allows it.

const EVENTS = 'events.amazonaws.com';
const SCHEDULER = 'scheduler.amazonaws.com';

/** The actions that a queue mapping requires of its function's role. */
const RECEIVING = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'] as const;

/** Those of a stream mapping: https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-eventsourcemapping.html */
const STREAMING = ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'] as const;
const LISTING = 'dynamodb:ListStreams';

interface Parts {
  readonly template: ResolvedTemplate;
  readonly door: () => Door;
  readonly log: (line: string) => void;
}

/** Puts an undeliverable event into its function's dead-letter queue. */
export const createBury =
  ({ door, log }: Parts, queues: () => Queues) =>
  async (
    { name, role, deadLetters }: DeployedFunction,
    { requestId, event, reason }: AsyncInvocation,
  ): Promise<void> => {
    if (deadLetters === null) return;
    const { allowed } = await door().authorize({
      principal: role,
      action: 'sqs:SendMessage',
      resource: deadLetters,
    });
    if (!allowed) return log(`${name}: the event is lost, since its role may not send to ${deadLetters}`);
    queues().operations.SendMessage?.({
      QueueUrl: deadLetters.split(':').at(-1) ?? '',
      MessageBody: event,
      // https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html
      MessageAttributes: {
        RequestID: { DataType: 'String', StringValue: requestId },
        ErrorCode: { DataType: 'Number', StringValue: '200' },
        ErrorMessage: { DataType: 'String', StringValue: reason.slice(0, 1_024) },
      },
    });
  };

/** Delivers events of schedules and rules to Lambda; events that Lambda refuses go to the target's dead-letter queue. */
export const createDelivery = (
  { template, door, log }: Parts,
  lambda: () => Pick<StageLambda, 'accept' | 'findFunction'>,
  queues: () => Queues,
): Deliver => {
  const { partition, region, account } = template;

  /** The principal of a delivery and its context. */
  const actorOf = (arn: string, target: JsonObject) => {
    if (!arn.includes(':scheduler:'))
      return { principal: EVENTS, context: { 'aws:SourceArn': arn, 'aws:SourceAccount': account } };
    return { principal: String(target.RoleArn), context: {} };
  };

  const mayAct = async (arn: string, target: JsonObject): Promise<boolean> => {
    if (!arn.includes(':scheduler:')) return true;
    const [, group] = /:schedule\/([^/]+)\//.exec(arn) ?? [];
    const context = {
      'aws:SourceAccount': account,
      'aws:SourceArn': `arn:${partition}:scheduler:${region}:${account}:schedule-group/${group}`,
    };
    return (await door().mayAssume(SCHEDULER, String(target.RoleArn), context)).allowed;
  };

  return async (event, { label, arn, target }) => {
    const may = async (action: string, resource: string) =>
      (await mayAct(arn, target)) &&
      (await door().authorize({ ...actorOf(arn, target), action, resource })).allowed;
    const functionArn = String(target.Arn);
    if (await may('lambda:InvokeFunction', functionArn)) {
      const { key, invokedArn } = lambda().findFunction(functionArn, null);
      await lambda().accept(key, JSON.stringify(event), { invokedFunctionArn: invokedArn });
      return;
    }
    log(`${label} is not allowed to invoke ${functionArn}`);
    const deadLetters = readDeadLetters(target);
    if (deadLetters !== null && (await may('sqs:SendMessage', deadLetters)))
      queues().bury(deadLetters, event);
  };
};

/** Receives messages of a queue with the role of the mapping's function and passes them to it. */
export const createBatchDelivery = (
  { door, log }: Parts,
  functions: readonly DeployedFunction[],
  findFunction: StageLambda['findFunction'],
  pool: Pick<ProcessPool, 'invoke'>,
): DeliverBatch => {
  const refused = new Set<string>();
  return async (event, messageIds, { source, definition }) => {
    const { key, invokedArn } = findFunction(String(definition.FunctionName), null);
    const role = functions.find((one) => one.key === key)?.role ?? '';
    for (const action of RECEIVING) {
      const { allowed } = await door().authorize({ principal: role, action, resource: source });
      if (allowed) continue;
      if (!refused.has(source)) log(`queue ${source}: the role of ${key} lacks ${action}`);
      refused.add(source);
      return null;
    }
    try {
      const context = { invokedFunctionArn: invokedArn };
      const answer = await pool.invoke({ functionKey: key, event, requestId: randomUUID(), context });
      const reports = (definition.FunctionResponseTypes as readonly string[] | undefined) ?? [];
      return reports.includes('ReportBatchItemFailures') ? readFailures(answer as JsonObject) : [];
    } catch (error) {
      log(`queue ${source}: ${key} failed: ${(error as Error).message}`);
      return messageIds;
    }
  };
};

/** Whether the source of a mapping is the stream of a table. */
export const isStream = ({ EventSourceArn }: JsonObject): boolean =>
  /:dynamodb:/.test(String(EventSourceArn));

export const readStreamMappings = (
  { resources }: ResolvedTemplate,
  findFunction: StageLambda['findFunction'],
): readonly StreamMapping[] =>
  Object.values(resources)
    .filter(
      ({ type, properties }) =>
        type === 'AWS::Lambda::EventSourceMapping' && isStream(properties as JsonObject),
    )
    .map(({ properties }) => {
      const [, table = ''] = /:table\/([^/]+)\/stream\//.exec(String(properties.EventSourceArn)) ?? [];
      const { KeySchema = [] } = (Object.values(resources).find(({ ref }) => ref === table)?.properties ??
        {}) as { readonly KeySchema?: readonly { readonly AttributeName: string }[] };
      const { Filters = null } = (properties.FilterCriteria ?? {}) as {
        readonly Filters?: readonly { readonly Pattern: string }[];
      };
      return {
        table,
        functionKey: findFunction(String(properties.FunctionName), null).key,
        keys: KeySchema.map(({ AttributeName }) => AttributeName),
        filterPatterns: Filters?.map(({ Pattern }) => JSON.parse(Pattern)) ?? null,
        reportsItemFailures: [properties.FunctionResponseTypes].flat().includes('ReportBatchItemFailures'),
      };
    });

/** Checks what Lambda requires of a function's role before it maps a queue or a stream to it. @throws ApiError */
export const createCheckMapping =
  ({ door }: Parts, functions: readonly DeployedFunction[], findFunction: StageLambda['findFunction']) =>
  async (definition: JsonObject): Promise<void> => {
    const { key } = findFunction(String(definition.FunctionName), null);
    const role = functions.find((one) => one.key === key)?.role ?? '';
    for (const action of isStream(definition) ? [...STREAMING, LISTING] : RECEIVING) {
      const resource = action === LISTING ? '*' : String(definition.EventSourceArn);
      if ((await door().authorize({ principal: role, action, resource })).allowed) continue;
      const [service = '', call] = action.split(':');
      throw new ApiError(
        'InvalidParameterValueException',
        `The provided execution role does not have permissions to call ${call} on ${service === 'sqs' ? 'SQS' : 'DynamoDB'}`,
      );
    }
  };

/** Creates the rules with a pattern and the schedules of a template. @throws StartError for what AWS would refuse */
export const createEvents = ({ resources }: ResolvedTemplate, { rules, schedules }: Sources): void => {
  for (const { logicalId, type, ref, properties } of Object.values(resources)) {
    const given: JsonObject = { ...(properties as JsonObject), Name: ref };
    try {
      if (type === 'AWS::Scheduler::Schedule') schedules.create(String(ref), given);
      if (type !== 'AWS::Events::Rule' || given.EventPattern === undefined) continue;
      rules.PutRule?.({ ...given, EventPattern: JSON.stringify(given.EventPattern) });
      rules.PutTargets?.({ ...given, Rule: ref });
    } catch (error) {
      throw new StartError(`CloudFormation would refuse ${logicalId}: ${(error as Error).message}`);
    }
  }
};

/** The rules of a template that fire at times. @throws Error for an expression that EventBridge refuses */
export const readScheduledRules = ({ resources, account, region }: ResolvedTemplate, deliver: Deliver) =>
  Object.values(resources)
    .filter(
      ({ type, properties }) => type === 'AWS::Events::Rule' && properties.ScheduleExpression !== undefined,
    )
    .map(({ logicalId, arn, properties }) => {
      const { ScheduleExpression, State } = properties;
      const targets = (properties.Targets ?? []) as readonly JsonObject[];
      return {
        logicalId,
        isEnabled: State !== 'DISABLED',
        findNext: readScheduleTimes({
          expression: String(ScheduleExpression),
          timeZone: 'UTC',
          startAt: null,
          endAt: null,
          createdAt: Date.now(),
        }),
        fire: async () => {
          const event = {
            version: '0',
            id: randomUUID(),
            'detail-type': 'Scheduled Event',
            source: 'aws.events',
            account,
            time: new Date().toISOString().replace(/\.\d+Z$/, 'Z'),
            region,
            resources: [arn ?? ''],
            detail: {},
          };
          for (const target of targets) {
            const input = target.Input === undefined ? event : JSON.parse(String(target.Input));
            await deliver(input, { label: logicalId, arn: arn ?? '', target });
          }
        },
      };
    });
