import { createServer, type IncomingMessage } from 'node:http';
import { isPlainObject, type JsonObject } from '@hookloom/plugin-kit';
import { type InternalServer, startInternalServer } from '../net/listen.ts';
import type { Queues } from './queues.ts';
import type { Rules } from './rules.ts';
import { DEFAULT_GROUP, type Schedules } from './schedules.ts';
import { SourceError } from './source-error.ts';

interface Sources {
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

/** The APIs of Scheduler, EventBridge, SQS and event source mappings that the service uses. */
export const startSourcesServer = (sources: Sources): Promise<InternalServer> =>
  startInternalServer(
    createServer(async (request, response) => {
      const send = (status: number, body: JsonObject, headers = {}) =>
        response
          .writeHead(status, { 'content-type': 'application/json', ...headers })
          .end(JSON.stringify(body));
      try {
        send(200, serve(await read(request), sources));
      } catch (error) {
        const { name, message } = error as Error;
        const status = error instanceof SourceError ? error.status : 500;
        const isRest = request.headers['x-amz-target'] === undefined;
        if (isRest) send(status, { Message: message }, { 'x-amzn-errortype': name });
        else send(status, { __type: `com.amazonaws.local#${name}`, message });
      }
    }),
  );

const read = async (request: IncomingMessage): Promise<ApiRequest> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const input: unknown = text === '' ? {} : JSON.parse(text);
  return {
    method: request.method ?? '',
    url: new URL(request.url ?? '', 'http://localhost'),
    target: String(request.headers['x-amz-target'] ?? ''),
    input: isPlainObject(input) ? (input as JsonObject) : {},
  };
};

const serve = ({ method, url, target, input }: ApiRequest, sources: Sources): JsonObject => {
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
  throw new SourceError(
    'UnknownOperationException',
    `${target}${method} ${url.pathname} does not exist.`,
    404,
  );
};
