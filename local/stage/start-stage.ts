import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import dynalite from 'dynalite';
import { noteNewStage } from '../../resources/stored-data.ts';
import { AT_ONCE } from '../database/embedded-dynamodb.ts';
import { StartError } from '../database/start-error.ts';
import { watchChanges, withStore } from '../database/watch-changes.ts';
import { labelOf } from '../engine/failed-runs.ts';
import { isRun } from '../engine/start-engine.ts';
import { bundleFile } from '../functions/bundler.ts';
import { startGateway } from '../gateway/gateway.ts';
import { createRouter, type Route } from '../gateway/routes.ts';
import type { JsonObject } from '../net/json.ts';
import { startInternalServer } from '../net/listen.ts';
import type { FunctionVersion } from '../pool/messages.ts';
import {
  createProcessPool,
  type FunctionSource,
  type Invocation,
  type ProcessPool,
} from '../pool/process-pool.ts';
import { createSpareSandbox, PROCESS_FILE } from '../pool/sandbox.ts';
import { BACKGROUND_PROCESSES, REQUEST_PROCESSES } from '../pool/slots.ts';
import { createQueues } from '../sources/queues.ts';
import { serveSources } from '../sources/serve-sources.ts';
import { openSourcesStore } from '../sources/sources-state.ts';
import { createStreams } from '../sources/streams.ts';
import { isAccountSettings, startAccount } from './account.ts';
import { type DeployedFunction, readFunctions, runtimeEnvironment, toVersion } from './deployed-functions.ts';
import type { Door, PolicyDocument } from './door/door-types.ts';
import { startDoor } from './door/start-door.ts';
import { type ResolvedTemplate, resolveTemplate, type Template } from './door/template.ts';
import { createQueues as createQueuesOf, createTables, requestCustomResources } from './stack.ts';
import {
  createBatchDelivery,
  createBury,
  createCheckMapping,
  createDelivery,
  isStream,
  readScheduledRules,
  readStreamMappings,
} from './stage-events.ts';
import { createFindFunction, createFork, startLambda } from './stage-lambda.ts';

/** The account of everything on this machine. */
export const ACCOUNT = '000000000000';

interface StageOptions {
  readonly project: string;
  /** The template as `serverless package` writes it. */
  readonly template: Template;
  /** Name of the stack: `SERVICE-STAGE`. */
  readonly stackName: string;
  readonly region: string;
  /** Folder of a function's unpacked zip, by its key in serverless.yml. */
  readonly folderOf: (key: string) => string;
  /** The users by name, with their policies. */
  readonly users: (apiId: string) => Readonly<Record<string, readonly PolicyDocument[]>>;
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
    return await start(options, ending, stop);
  } catch (error) {
    await stop();
    throw error;
  }
};

const start = async (
  options: StageOptions,
  ending: (() => unknown)[],
  stop: () => Promise<void>,
): Promise<Stage> => {
  const { project, stackName, region, folderOf, retryDelaysMs, log } = options;
  const template = resolveTemplate(options.template, { account: ACCOUNT, region, stackName });
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

  const [http, tables] = withStore(() => dynalite(AT_ONCE));
  const database = await startInternalServer(http);
  ending.push(database.stop);
  await createTables(template, options.tables, database.endpoint);
  const wanted = { ExecutionsTable: String(template.resources.ExecutionsTable?.ref) };
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  await noteNewStage({ wanted }, { region, endpoint: database.endpoint, credentials }); // as a deployment does

  const store = openSourcesStore(null);
  const batches = createBatchDelivery(parts, functions, findFunction, pool);
  const retryMs = Math.min(1_000, ...retryDelaysMs);
  const queues = createQueues(store, batches, log, { areCreated: true, retryMs });
  createQueuesOf(template, options.queues, queues);
  const lambda = await startLambda({
    functions,
    pool,
    dynamodbEndpoint: database.endpoint,
    retryDelaysMs,
    bury: createBury(parts, () => queues),
    isRun,
    labelOf,
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

  const gateway = await startGateway({
    port: options.port,
    findRoute: createRouter(readRoutes(template, functions)),
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
    const [api] = Object.values(template.resources).filter(({ type }) => type === 'AWS::ApiGatewayV2::Api');
    const [method, path] = String(routeKey).split(' ');
    const source = `arn:aws:execute-api:${region}:${ACCOUNT}:${api?.ref}/$default/${method === 'ANY' ? '*' : method}${path}`;
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
    users: options.users(template.resources.HttpApi?.ref ?? ''),
    buckets: options.buckets,
    onRefusal: ({ principal, action, resource, reason }) =>
      log(`refused: ${principal} ${action ?? ''} ${resource ?? ''}: ${reason}`),
  });
  ending.push(door.stop);
  const { processes, stopProcesses } = await createPools({
    source: await deploy({ functions, folderOf, region, door }),
    nodeFlags: door.nodeFlags,
    project,
    routed: new Set(readRoutes(template, functions).map(({ functionKey }) => functionKey)),
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
  watchChanges(tables, streamed, streams.onChange);
  ending.push(streams.stop);
  const request = (type: 'Create' | 'Delete') =>
    requestCustomResources(template, type, async (functionArn, event) => {
      const { key, invokedArn } = findFunction(functionArn, null);
      return lambda.accept(key, JSON.stringify(event), { invokedFunctionArn: invokedArn });
    });
  await request('Create');
  ending.push(() => request('Delete').catch((error: Error) => log(error.message)));

  const rules = readScheduledRules(template, deliver);
  const timers = rules.map(({ everyMs, fire }) => setInterval(() => void fire(), everyMs).unref());
  ending.push(() => timers.forEach(clearInterval));
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

/** Alternating names and values as a record; repeated ones are joined. */
const toHeaders = (rawHeaders: readonly string[]): Record<string, string> => {
  const headers: Record<string, string> = {};
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? '';
    const value = rawHeaders[at + 1] ?? '';
    headers[name] = headers[name] === undefined ? value : `${headers[name]},${value}`;
  }
  return headers;
};

/** The routes of a template, and the functions of their integrations. */
const readRoutes = (
  { resources }: ResolvedTemplate,
  functions: readonly DeployedFunction[],
): readonly Route[] => {
  const integrations = new Map(
    Object.values(resources)
      .filter(({ type }) => type === 'AWS::ApiGatewayV2::Integration')
      .map(({ ref, properties }) => [ref, String(properties.IntegrationUri)]),
  );
  return Object.values(resources)
    .filter(({ type }) => type === 'AWS::ApiGatewayV2::Route')
    .map(({ properties }) => {
      const target = integrations.get(String(properties.Target).replace('integrations/', ''));
      const { key = '' } = functions.find(({ arn }) => arn === target) ?? {};
      const event = String(properties.RouteKey).replace(/^ANY /, '* ');
      return { event, functionKey: key, isPrivate: properties.AuthorizationType === 'AWS_IAM' };
    });
};

/** The versions of the functions, with the keys of their roles. */
const deploy = async ({
  functions,
  folderOf,
  region,
  door,
}: {
  readonly functions: readonly DeployedFunction[];
  readonly folderOf: StageOptions['folderOf'];
  readonly region: string;
  readonly door: Door;
}): Promise<FunctionSource> => {
  const versions = new Map<string, FunctionVersion>();
  for (const deployed of functions) {
    const keys = await door.credentialsOf(deployed.role, deployed.name);
    versions.set(deployed.key, toVersion(deployed, { folder: folderOf(deployed.key), region, keys }));
    if (deployed.deadLetters === null) continue;
    const question = { principal: deployed.role, action: 'sqs:SendMessage', resource: deployed.deadLetters };
    if (!(await door.authorize(question)).allowed)
      throw new StartError(
        `CloudFormation would refuse ${deployed.name}: the provided execution role does not have permissions to call SendMessage on SQS`,
      );
  }
  return {
    find: async (key) => {
      const version = versions.get(key);
      if (version === undefined) throw new Error(`there is no function ${key}`);
      return version;
    },
    isCurrent: () => true,
  };
};

/** Processes like Lambda's sandboxes: with the environment of Lambda's runtime and nothing from this process's. */
const createPools = async ({
  source,
  nodeFlags,
  project,
  routed,
}: {
  readonly source: FunctionSource;
  readonly nodeFlags: readonly string[];
  readonly project: string;
  readonly routed: ReadonlySet<string>;
}) => {
  const folder = mkdtempSync(join(tmpdir(), 'hookloom-stage-'));
  const sdkFolder = join(folder, 'runtime/node_modules');
  mkdirSync(sdkFolder, { recursive: true });
  symlinkSync(join(project, 'node_modules/@aws-sdk'), join(sdkFolder, '@aws-sdk'));
  const program = await bundleFile(PROCESS_FILE, folder);
  const spare = createSpareSandbox({ ...runtimeEnvironment(sdkFolder) }, program, nodeFlags);
  const requests = createProcessPool({ processes: REQUEST_PROCESSES, functions: source, spare });
  const background = createProcessPool({ processes: BACKGROUND_PROCESSES, functions: source, spare });
  const poolOf = (key: string) => (routed.has(key) ? requests : background);
  const processes: ProcessPool = {
    invoke: (invocation) => poolOf(invocation.functionKey).invoke(invocation),
    prewarm: (key) => poolOf(key).prewarm(key),
    dropOutdated: () => {},
    stop: async () => {},
  };
  return {
    processes,
    stopProcesses: async () => {
      await Promise.all([requests.stop(), background.stop(), spare.stop()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
