import * as client from '@aws-sdk/client-lambda';
import {
  type ApiRequest,
  type Arns,
  type Call,
  type Input,
  optionalText,
  type Permission,
  readBody,
  textInput,
  UnknownCall,
} from './call.ts';
import { createFindOperation, readSdkRoutes } from './rest-routes.ts';

const findOperation = createFindOperation(readSdkRoutes(client));

/** Actions whose names differ from their operations. */
const ACTIONS: Readonly<Record<string, string>> = {
  Invoke: 'InvokeFunction',
  InvokeAsync: 'InvokeFunction',
  InvokeWithResponseStream: 'InvokeFunction',
};

/** What the door must look up in the services themselves. */
export interface LambdaLookups {
  /** The ARN of the function of an event source mapping; null when there is none. */
  readonly findMappedFunction: (uuid: string) => Promise<string | null>;
  /** The ARN of the durable execution that waits for a callback; null when none does. */
  readonly findDurableExecution: (callbackId: string) => Promise<string | null>;
}

/** Reads a request of Lambda's API. https://docs.aws.amazon.com/service-authorization/latest/reference/list_awslambda.html */
export const readLambdaCall = async (
  request: ApiRequest,
  arns: Arns,
  lookups: LambdaLookups,
): Promise<Call> => {
  const found = findOperation(request.method, request.path.replace(/\/$/, ''), request.query);
  if (found === null)
    throw new UnknownCall(`${request.method} ${request.path} is not an operation of Lambda`);
  const { operation, parameters } = found;
  const isInvocation = Object.hasOwn(ACTIONS, operation);
  const body =
    isInvocation || operation.startsWith('SendDurableExecutionCallback') ? {} : readBody(request.body);
  const input = { ...body, ...Object.fromEntries(request.query), ...parameters };
  const action = `lambda:${isInvocation ? ACTIONS[operation] : operation}`;
  return {
    operation,
    input,
    permissions: [{ action, ...(await resourceOf(operation, input, arns, lookups)) }],
  };
};

const WITHOUT_RESOURCE = /^(ListEventSourceMappings|ListFunctions|GetAccountSettings)$/;

const resourceOf = async (
  operation: string,
  input: Input,
  arns: Arns,
  { findMappedFunction, findDurableExecution }: LambdaLookups,
): Promise<Omit<Permission, 'action'>> => {
  if (WITHOUT_RESOURCE.test(operation)) return { resource: '*' };
  if (operation === 'CreateEventSourceMapping')
    return {
      resource: '*',
      context: { 'lambda:FunctionArn': toFunctionArn(textInput(input, 'FunctionName'), null, arns) },
    };
  const uuid = optionalText(input, 'UUID');
  if (uuid !== null) {
    const mapped = await findMappedFunction(uuid);
    const resource = arns.of('lambda', `event-source-mapping:${uuid}`);
    return mapped === null ? { resource } : { resource, context: { 'lambda:FunctionArn': mapped } };
  }
  const callback = optionalText(input, 'CallbackId');
  if (callback !== null) {
    const execution = await findDurableExecution(callback);
    // An unknown identifier belongs to no function: only callers that may answer all callbacks are forwarded.
    return {
      resource: execution ?? arns.of('lambda', 'function:unknown:1/durable-execution/unknown/unknown'),
    };
  }
  const execution = optionalText(input, 'DurableExecutionArn');
  if (execution !== null) return { resource: execution };
  const name = optionalText(input, 'FunctionName');
  if (name !== null) return { resource: toFunctionArn(name, optionalText(input, 'Qualifier'), arns) };
  throw new UnknownCall(`the resource of lambda:${operation} is unknown`);
};

/** A function by its name, a part of its ARN or its ARN, each with or without a version or an alias. */
const toFunctionArn = (name: string, qualifier: string | null, arns: Arns): string => {
  const [, account = arns.account, plain = name] = /^(\d{12}):function:(.+)$/.exec(name) ?? [];
  const arn = name.startsWith('arn:')
    ? name
    : `arn:${arns.partition}:lambda:${arns.region}:${account}:function:${plain}`;
  return qualifier === null || arn.endsWith(`:${qualifier}`) ? arn : `${arn}:${qualifier}`;
};

const MAX_CALLBACKS = 100_000;

const MAPPINGS = '/2015-03-31/event-source-mappings/';

/** What the permissions of a Lambda call depend on besides the call itself. */
interface LearningLookups extends LambdaLookups {
  /** Records the callbacks of a durable execution, which responses to its calls name. */
  learn(durableExecutionArn: string, answer: string): void;
}

/** @param toFunctionArn - of a name */
export const createLambdaLookups = (
  origin: string | undefined,
  toFunctionArn: (name: string) => string,
): LearningLookups => {
  const executions = new Map<string, string>();
  return {
    learn: (execution, answer) => {
      for (const [, callback = ''] of answer.matchAll(/"CallbackId":"([^"]{1,1024})"/g))
        if (executions.size < MAX_CALLBACKS) executions.set(callback, execution);
    },
    findDurableExecution: async (callback) => executions.get(callback) ?? null,
    findMappedFunction: async (uuid) => {
      if (origin === undefined) return null;
      const answer = await fetch(`${origin}${MAPPINGS}`);
      const { EventSourceMappings = [] } = (await answer.json()) as {
        readonly EventSourceMappings?: readonly Readonly<Record<string, string>>[];
      };
      const found = EventSourceMappings.find(({ UUID }) => UUID === uuid);
      const name = found?.FunctionArn ?? found?.FunctionName;
      return name === undefined ? null : name.startsWith('arn:') ? name : toFunctionArn(name);
    },
  };
};
