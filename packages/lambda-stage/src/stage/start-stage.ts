import { randomUUID } from 'node:crypto';
import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import dynalite from 'dynalite';
import { StartError } from '../database/start-error.ts';
import { AT_ONCE, watchChanges, withStore } from '../database/watch-changes.ts';
import { startGateway } from '../gateway/gateway.ts';
import { createRouter } from '../gateway/routes.ts';
import type { JsonObject } from '../net/json.ts';
import { startInternalServer } from '../net/listen.ts';
import type { Invocation, ProcessPool } from '../pool/process-pool.ts';
import { createQueues } from '../sources/queues.ts';
import { startTimer } from '../sources/schedules.ts';
import { serveSources } from '../sources/serve-sources.ts';
import { openSourcesStore } from '../sources/sources-state.ts';
import { createStreams } from '../sources/streams.ts';
import { isAccountSettings, startAccount } from './account.ts';
import { readFunctions } from './deployed-functions.ts';
import type { Door, PolicyDocument } from './door/door-types.ts';
import { startDoor } from './door/start-door.ts';
import { type ResolvedTemplate, resolveTemplate, type Template } from './door/template.ts';
import { createQueues as createQueuesOf, createTables, requestCustomResources } from './stack.ts';
import {
  createBatchDelivery,
  createBury,
  createCheckMapping,
  createDelivery,
  createEvents,
  isStream,
  readScheduledRules,
  readStreamMappings,
} from './stage-events.ts';
import { createFindFunction, createFork, startLambda } from './stage-lambda.ts';
import { createPools, deployFunctions } from './stage-processes.ts';
import { readRoutes, toHeaders } from './stage-routes.ts';

/** The account and the region of everything on this machine. */
export const ACCOUNT = '000000000000';
export const REGION = 'us-east-1';

/** A DynamoDB on this machine, as settings of its client. */
interface Database {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

export interface StageOptions {
  /** The template as packaging writes it. */
  readonly template: Template;
  /** Values of the template's parameters; omitted ones use their defaults. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly stackName: string;
  /** Folder with the content of a function's zip, by the zip's name without `.zip`. */
  readonly folderOf: (zip: string) => string;
  /** A bundle of `PROCESS_FILE`, which starts in half the time; the file itself if absent. */
  readonly processFile?: string;
  /** The users by name, with their policies. */
  readonly users: (apiId: string) => Readonly<Record<string, readonly PolicyDocument[]>>;
  /** Called when the tables are created, before anything runs: for what a deployment writes into them. */
  readonly onTables?: (template: ResolvedTemplate, database: Database) => Promise<void>;
  /** What the account has in addition to the stack: queues and buckets by name, and tables. */
  readonly buckets: readonly string[];
  readonly queues: readonly string[];
  readonly tables: readonly CreateTableCommandInput[];
  /** Port of the stage's gateway; 0 uses any free port. */
  readonly port: number;
  /** Delays between the attempts of asynchronous invocations. */
  readonly retryDelaysMs: readonly number[];
  /** The account's concurrency according to its settings; the stage runs as many processes as fit this machine. */
  readonly concurrency: number;
  /** Whether the log says which process has an invocation of a function; by default, of none. */
  readonly isRun?: (functionKey: string) => boolean;
  /** Names an asynchronous invocation in the log; by default, after its function. */
  readonly labelOf?: (functionKey: string, event: unknown) => string;
  readonly log: (line: string) => void;
}

/** A deployed stage on this machine. */
export interface Stage {
  readonly baseUrl: string;
  readonly template: ResolvedTemplate;
  readonly door: Door;
  /** Fires a rule of the template that has a schedule, by its logical id. */
  fire(rule: string): Promise<void>;
  /** Creates or deletes the custom resources of the template. */
  requestCustomResources(type: 'Create' | 'Delete'): Promise<void>;
  /** The processes that run an invocation, and their functions' keys. */
  busy(): readonly { readonly pid: number; readonly functionKey: string }[];
  /** Removes the stack: deletes custom resources, then stops everything. */
  stop(): Promise<void>;
}

/** @throws StartError when CloudFormation would refuse the deployment or a part can't start */
export const startStage = async (options: StageOptions): Promise<Stage> => {
  const ending: (() => unknown)[] = [];
  const stop = async () => {
    for (const end of ending.splice(0).reverse()) await end();
  };
  try {
    return await startPartsOfStage(options, ending, stop);
  } catch (error) {
    await stop();
    throw error;
  }
};

const startPartsOfStage = async (
  options: StageOptions,
  ending: (() => unknown)[],
  stop: () => Promise<void>,
): Promise<Stage> => {
  const { stackName, parameters = {}, folderOf, retryDelaysMs, log } = options;
  const region = REGION;
  const template = resolveTemplate(options.template, { account: ACCOUNT, region, stackName, parameters });
  const functions = readFunctions(template);
  const findFunction = createFindFunction(functions);
  let door: Door | undefined;
  const openDoor = (): Door => {
    if (door === undefined) throw new Error('the door is not open yet');
    return door;
  };
  const pools = Promise.withResolvers<ProcessPool>();
  const logs = new Set<string>();
  /** Lambda logs a function's output with the function's role. */
  const openLog = async (functionKey: string): Promise<void> => {
    const { name = '', role = '' } = functions.find(({ key }) => key === functionKey) ?? {};
    if (logs.has(name)) return;
    logs.add(name);
    const resource = `arn:aws:logs:${region}:${ACCOUNT}:log-group:/aws/lambda/${name}:log-stream:1`;
    for (const action of ['logs:CreateLogStream', 'logs:PutLogEvents']) {
      const { allowed } = await openDoor().authorize({ principal: role, action, resource });
      if (!allowed) log(`${name}: the role of ${functionKey} lacks ${action}`);
    }
  };
  const busy = new Map<number, string>();
  let mostAtOnce = 0;
  const pool = {
    invoke: async (invocation: Invocation) => {
      const { functionKey, onProcess } = invocation;
      await openLog(functionKey);
      let own = 0;
      try {
        return await (await pools.promise).invoke({
          ...invocation,
          onProcess: (pid) => {
            own = pid;
            busy.set(pid, functionKey);
            mostAtOnce = Math.max(mostAtOnce, busy.size);
            onProcess?.(pid);
          },
        });
      } finally {
        busy.delete(own);
      }
    },
  };
  const parts = { template, door: openDoor, log };
  const apiId =
    Object.values(template.resources).find(({ type }) => type === 'AWS::ApiGatewayV2::Api')?.ref ?? '';

  const [http, tableStore] = withStore(() => dynalite(AT_ONCE));
  const database = await startInternalServer(http);
  ending.push(database.stop);
  await createTables(template, options.tables, database.endpoint);
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  await options.onTables?.(template, { region, endpoint: database.endpoint, credentials });

  const store = openSourcesStore(null);
  const batches = createBatchDelivery(parts, functions, findFunction, pool);
  const retryMs = Math.min(1_000, ...retryDelaysMs);
  const queues = createQueues(store, batches, log, { areCreated: true, retryMs });
  createQueuesOf(template, options.queues, queues);
  const lambda = await startLambda({
    functions,
    pool,
    database: { endpoint: database.endpoint, store: tableStore },
    retryDelaysMs,
    bury: createBury(parts, () => queues),
    isRun: options.isRun ?? (() => false),
    labelOf: options.labelOf ?? ((functionKey) => functionKey),
    log,
  });
  ending.push(lambda.stop);
  const deliver = createDelivery(
    parts,
    () => lambda,
    () => queues,
  );
  const sources = await serveSources(store, queues, deliver);
  ending.push(sources.stop);
  const checkMapping = createCheckMapping(parts, functions, findFunction);
  const account = await startAccount({
    concurrency: options.concurrency,
    mostAtOnce: () => mostAtOnce,
    outputs: template.outputs,
  });
  ending.push(account.stop);
  const lambdaApi = await startInternalServer(
    createFork(
      (path) =>
        isMapping(path) ? sources.endpoint : isAccountSettings(path) ? account.endpoint : lambda.endpoint,
      async (method, path, body) => {
        if (isMapping(path) && method === 'POST') await checkMapping(JSON.parse(body));
      },
    ),
  );
  ending.push(lambdaApi.stop);

  const routes = readRoutes(template, functions);
  const gateway = await startGateway({
    port: options.port,
    findRoute: createRouter(routes),
    authorize: async ({ method, url, rawHeaders, body }) => {
      const admission = await openDoor().admit({ method, url, headers: toHeaders(rawHeaders), body });
      if (!admission.allowed) return null;
      const { callerArn, accessKeyId, account } = admission;
      const iam = { accessKey: accessKeyId, accountId: account, callerId: callerArn, userArn: callerArn };
      return { iam: { ...iam, userId: callerArn, cognitoIdentity: null, principalOrgId: null } };
    },
    invoke: async (functionKey, event, signal) => {
      const { invokedArn } = await mayInvoke(functionKey, event as JsonObject);
      const context = { invokedFunctionArn: invokedArn };
      return pool.invoke({ functionKey, event, requestId: randomUUID(), signal, context });
    },
    log,
  });
  ending.push(() => gateway.stop());
  const baseUrl = `http://localhost:${gateway.port}`;

  /** Checks that a function's resource policy allows the API to invoke it. */
  const mayInvoke = async (functionKey: string, { routeKey }: JsonObject) => {
    const { arn = '' } = functions.find(({ key }) => key === functionKey) ?? {};
    const [method, path] = String(routeKey).split(' ');
    const source = `arn:aws:execute-api:${region}:${ACCOUNT}:${apiId}/$default/${method === 'ANY' ? '*' : method}${path}`;
    const { allowed, reason } = await openDoor().authorize({
      principal: 'apigateway.amazonaws.com',
      action: 'lambda:InvokeFunction',
      resource: arn,
      context: { 'aws:SourceArn': source },
    });
    if (!allowed) throw new Error(`API Gateway may not invoke ${functionKey}: ${reason}`);
    return { invokedArn: arn };
  };

  door = await startDoor({
    template,
    backends: {
      dynamodb: database.endpoint,
      lambda: lambdaApi.endpoint,
      scheduler: sources.endpoint,
      events: sources.endpoint,
      sqs: sources.endpoint,
      monitoring: account.endpoint,
      servicequotas: account.endpoint,
      cloudformation: account.endpoint,
      'execute-api': baseUrl,
    },
    users: options.users(apiId),
    buckets: options.buckets,
    onRefusal: ({ principal, action, resource, reason }) =>
      log(`refused: ${principal} ${action ?? ''} ${resource ?? ''}: ${reason}`),
  });
  ending.push(door.stop);
  const { processes, stopProcesses } = createPools({
    source: await deployFunctions({ functions, folderOf, region, door }),
    nodeFlags: door.nodeFlags,
    processFile: options.processFile,
    routed: new Set(routes.map(({ functionKey }) => functionKey)),
  });
  ending.push(stopProcesses);
  pools.resolve(processes);

  for (const { properties } of Object.values(template.resources).filter(
    ({ type }) => type === 'AWS::Lambda::EventSourceMapping',
  )) {
    await checkMapping(properties as JsonObject).catch(({ message }: Error) => {
      throw new StartError(
        `CloudFormation would refuse the mapping of ${properties.EventSourceArn}: ${message}`,
      );
    });
    if (!isStream(properties as JsonObject)) queues.createMapping(properties as JsonObject);
  }
  const mappings = readStreamMappings(template, findFunction);
  const streams = createStreams({
    mappings,
    invoke: (functionKey, event) => pool.invoke({ functionKey, event, requestId: randomUUID() }),
    log,
  });
  const streamed = [...new Set(mappings.map(({ table }) => table))];
  watchChanges(tableStore, streamed, streams.onChange);
  ending.push(streams.stop);
  const request = (type: 'Create' | 'Delete') =>
    requestCustomResources(template, type, async (functionArn, event) => {
      const { key, invokedArn } = findFunction(functionArn, null);
      return lambda.accept(key, JSON.stringify(event), { invokedFunctionArn: invokedArn });
    });
  await request('Create');
  ending.push(() => request('Delete').catch((error: Error) => log(error.message)));

  const rules = readScheduledRules(template, deliver);
  for (const { isEnabled, findNext, fire } of rules)
    if (isEnabled) ending.push(startTimer(findNext, fire, Date.now()));
  createEvents(template, sources);
  return {
    baseUrl,
    template,
    door,
    requestCustomResources: request,
    busy: () => [...busy].map(([pid, functionKey]) => ({ pid, functionKey })),
    fire: async (logicalId) => {
      const rule = rules.find((one) => one.logicalId === logicalId);
      if (rule === undefined) throw new Error(`the template has no rule ${logicalId} with a schedule`);
      await rule.fire();
    },
    stop,
  };
};

const isMapping = (path: string): boolean => path.startsWith('/2015-03-31/event-source-mappings');
