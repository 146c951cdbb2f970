import { createServer, type IncomingMessage } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { ApiError } from '../net/api-error.ts';
import { isPlainObject, type JsonObject } from '../net/json.ts';
import { type InternalServer, startInternalServer } from '../net/listen.ts';
import type { Deliver } from './deliver.ts';
import type { Queues } from './queues.ts';
import { createRules, type Rules } from './rules.ts';
import { createSchedules, DEFAULT_GROUP, type ScheduleClock, type Schedules } from './schedules.ts';
import type { SourcesStore } from './sources-state.ts';

export interface Sources extends InternalServer {
  readonly queues: Queues;
  readonly rules: Rules;
  readonly schedules: Schedules;
}

/** Starts the trigger sources with the given queues and delivery. */
export const serveSources = async (
  store: SourcesStore,
  queues: Queues,
  deliver: Deliver,
  clock?: ScheduleClock,
): Promise<Sources> => {
  const schedules = createSchedules(store, deliver, clock);
  const rules = createRules(store, deliver);
  const server = await startSourcesServer({ schedules, rules, queues });
  schedules.resume();
  queues.resume();
  return {
    endpoint: server.endpoint,
    queues,
    rules,
    schedules,
    stop: async () => {
      schedules.stop();
      queues.stop();
      await server.stop();
    },
  };
};

/** What a function says failed of a batch: https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html */
export const readFailures = ({ batchItemFailures }: JsonObject): readonly string[] =>
  (batchItemFailures as readonly { readonly itemIdentifier: string }[]).map(
    ({ itemIdentifier }) => itemIdentifier,
  );

interface ApiSources {
  readonly schedules: Schedules;
  readonly rules: Rules;
  readonly queues: Queues;
}

interface ApiRequest {
  readonly method: string;
  readonly url: URL;
  readonly target: string;
  readonly input: JsonObject;
}

/** The parts of the APIs of Scheduler, EventBridge, SQS and event source mappings that are here. */
const startSourcesServer = (sources: ApiSources): Promise<InternalServer> =>
  startInternalServer(
    createServer(async (request, response) => {
      const send = (status: number, body: JsonObject, headers = {}) =>
        response
          .writeHead(status, { 'content-type': 'application/json', ...headers })
          .end(JSON.stringify(body));
      try {
        send(200, serveApiRequest(await readApiRequest(request), sources));
      } catch (error) {
        const { name, message } = error as Error;
        const status = error instanceof ApiError ? error.status : 500;
        const isRest = request.headers['x-amz-target'] === undefined;
        if (isRest) send(status, { Message: message }, { 'x-amzn-errortype': name });
        else send(status, { __type: `com.amazonaws.local#${name}`, message });
      }
    }),
  );

const readApiRequest = async (request: IncomingMessage): Promise<ApiRequest> => {
  const text = await readText(request);
  const input: unknown = text === '' ? {} : JSON.parse(text);
  return {
    method: request.method ?? '',
    url: new URL(request.url ?? '', 'http://localhost'),
    target: String(request.headers['x-amz-target'] ?? ''),
    input: isPlainObject(input) ? (input as JsonObject) : {},
  };
};

const serveApiRequest = ({ method, url, target, input }: ApiRequest, sources: ApiSources): JsonObject => {
  const { schedules, rules, queues } = sources;
  const [service = '', operation = ''] = target.split('.');
  const operate = { AWSEvents: rules, AmazonSQS: queues.operations }[service]?.[operation];
  if (operate !== undefined) return operate(input);

  const [folder, ...rest] = url.pathname.slice(1).split('/').map(decodeURIComponent);
  const name = rest.at(-1) ?? '';
  const group = url.searchParams.get('groupName') ?? DEFAULT_GROUP;
  switch (`${method} ${folder}`) {
    case 'POST schedules':
      return schedules.create(name, input);
    case 'PUT schedules':
      return schedules.update(name, input);
    case 'GET schedules':
      return schedules.get(name, group);
    case 'DELETE schedules':
      return schedules.remove(name, group);
    case 'POST 2015-03-31':
      return queues.createMapping(input);
    case 'PUT 2015-03-31':
      return queues.updateMapping(name, input);
    case 'DELETE 2015-03-31':
      return queues.removeMapping(name);
    case 'GET 2015-03-31':
      return queues.listMappings(url.searchParams.get('EventSourceArn'));
  }
  throw new ApiError('UnknownOperationException', `${target}${method} ${url.pathname} does not exist.`, 404);
};
