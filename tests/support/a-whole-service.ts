import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach } from '@jest/globals';
import type { Context } from 'aws-lambda';
import { createRouter, startGateway } from 'lambda-stage/gateway';
import type { ScheduleClock } from 'lambda-stage/sources';
import { createDurableFunction, durablePing } from '../../lib/adapters/durable/durable-function.ts';
import { createAdminList } from '../../lib/app/admin-list.ts';
import { createAggregate } from '../../lib/app/aggregate.ts';
import { createCallbackFunction } from '../../lib/app/callback-handler.ts';
import { openAdmin, openHealth } from '../../lib/app/compose/admin.ts';
import {
  openAggregate,
  openCallbacks,
  openDurableRuns,
  openExpressRuns,
  openRetryExecutions,
  openSweep,
} from '../../lib/app/compose/background.ts';
import { openDispatch, openRegistrations } from '../../lib/app/compose/triggers.ts';
import { openWebhook } from '../../lib/app/compose/webhook.ts';
import { type Config, readConfig } from '../../lib/app/config.ts';
import { createExpressFunction } from '../../lib/app/express-handler.ts';
import { createHealthRoutes } from '../../lib/app/health.ts';
import { listPluginsRoute } from '../../lib/app/plugins.ts';
import { createRetryExecutions } from '../../lib/app/retry-executions.ts';
import { serve } from '../../lib/app/sandbox.ts';
import { createSweepFunction } from '../../lib/app/sweep-handler.ts';
import { createDispatchFunction } from '../../lib/app/triggers/dispatch-handler.ts';
import { createRegistrationsFunction } from '../../lib/app/triggers/registrations-handler.ts';
import { createWebhookFunction } from '../../lib/app/webhook-handler.ts';
import { listPlugins } from '../../lib/plugins/summaries.ts';
import { installedPlugins } from '../../nodes/installed.ts';
import { startBackend } from '../../packages/local/backend.ts';
import { patientClock } from './a-patient-clock.ts';
import { adminFunctions } from './an-admin-api.ts';
import { environmentOf, type LocalValues, serviceFile } from './function-environment.ts';

type Handler = (event: never, context: Context) => Promise<unknown>;

/** By key, as the files in functions/ have it; the admin functions that are not here are all alike. */
const open: Readonly<Record<string, (config: Config) => Handler>> = {
  webhook: (config) => serve(createWebhookFunction(openWebhook(installedPlugins, config))),
  webhookCallback: (config) => serve(createCallbackFunction(openCallbacks(config))),
  runDurable: (config) =>
    serve(createDurableFunction(openDurableRuns(installedPlugins, config)), durablePing),
  runExpress: (config) => serve(createExpressFunction(openExpressRuns(installedPlugins, config))),
  sweep: (config) => serve(createSweepFunction(openSweep(config))),
  dispatch: (config) => serve(createDispatchFunction(openDispatch(installedPlugins, config))),
  retryExecutions: (config) => serve(createRetryExecutions(openRetryExecutions(installedPlugins, config))),
  aggregate: (config) => serve(createAggregate(openAggregate(config))),
  sweepRegistrations: (config) =>
    serve(createRegistrationsFunction(openRegistrations(installedPlugins, config))),
  adminHealth: (config) => serve(createHealthRoutes(openHealth(installedPlugins, config, patientClock))),
};

/** The streams of serverless.yml, on the tables of the tests. */
const streams = serviceFile.streams.map((one) => ({
  ...one,
  table: one.table.replace('hookloom-dev', 'test'),
}));

const openFunction = (key: string): ((config: Config) => Handler) => {
  const known = open[key];
  if (known !== undefined) return known;
  const openAdminFunction = adminFunctions[key];
  return (config) =>
    serve(
      openAdminFunction?.(config, {}) ??
        createAdminList(openAdmin(installedPlugins, config), [listPluginsRoute], listPlugins),
    );
};

export interface WholeServiceOptions {
  /** Other endpoints for single functions. */
  readonly environment?: Readonly<Record<string, LocalValues>>;
  /** Variables that single functions lack. */
  readonly missing?: Readonly<Record<string, readonly string[]>>;
  /** In place of what a function answers; throws for one that fails. */
  readonly answers?: Readonly<Record<string, (event: unknown, answer: () => Promise<unknown>) => unknown>>;
  /** Whether schedules fire only when the test calls `pass`; by the machine's clock otherwise. */
  readonly passesTime?: boolean;
  /** Whether `aggregate` counts what executions change. */
  readonly counts?: boolean;
}

/**
 * The whole service in this process: the functions, opened by the environment that serverless.yml gives to each, behind the
 * gateway, the engine and the sources of the local service.
 */
export const useWholeServices = () => {
  const cleanups: (() => Promise<unknown> | unknown)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  return async ({
    environment = {},
    missing = {},
    answers = {},
    passesTime = false,
    counts = false,
  }: WholeServiceOptions = {}) => {
    const invoked: { readonly functionKey: string; readonly event: unknown }[] = [];
    const lines: string[] = [];
    const log = (line: string) => void lines.push(line);
    const handlers = new Map<string, Handler>();
    const ready = Promise.withResolvers<LocalValues>();

    /** Opened at the first event: one whose configuration is wrong fails then, as a cold start does. */
    const invoke = async (functionKey: string, event: unknown): Promise<unknown> => {
      const values = await ready.promise;
      invoked.push({ functionKey, event });
      const own: Record<string, string | undefined> = {
        ...environmentOf(functionKey, values),
        ...environment[functionKey],
      };
      for (const name of missing[functionKey] ?? []) delete own[name];
      const answer = async () => {
        const handler = handlers.get(functionKey) ?? openFunction(functionKey)(readConfig(own));
        handlers.set(functionKey, handler);
        const before = { ...process.env };
        Object.assign(process.env, own); // what a ping says of the environment
        try {
          return handler(event as never, contextOf(functionKey));
        } finally {
          process.env = before;
        }
      };
      return JSON.parse(JSON.stringify((await (answers[functionKey]?.(event, answer) ?? answer())) ?? null));
    };
    const pool = {
      invoke: ({ functionKey, event }: { readonly functionKey: string; readonly event: unknown }) =>
        invoke(functionKey, event),
    };
    const { scheduleClock, pass } = aScheduleClock();
    const gateway = await startGateway({
      port: 0,
      findRoute: createRouter(serviceFile.routes),
      invoke,
      log,
    });
    cleanups.push(() => gateway.stop(0));
    const baseUrl = `http://localhost:${gateway.port}`;
    const backend = await startBackend({
      tablePrefix: 'test',
      dataFolder: undefined,
      pool,
      log,
      ...(passesTime ? { scheduleClock } : {}),
      ...(counts ? { streams } : {}),
    });
    cleanups.push(backend.stop);
    const { dynamodbEndpoint, engineEndpoint, blobFolder, uploadEndpoint, secretsFolder, sourcesEndpoint } =
      backend.endpoints;
    ready.resolve({
      DYNAMODB_ENDPOINT: dynamodbEndpoint,
      AWS_ENDPOINT_URL_LAMBDA: engineEndpoint,
      BLOB_FOLDER: blobFolder,
      UPLOAD_ENDPOINT: uploadEndpoint,
      SECRETS_FOLDER: secretsFolder,
      SOURCES_ENDPOINT: sourcesEndpoint,
      WORKFLOW_CACHE_SECONDS: '0',
      LOG_LEVEL: 'error', // what Lambda's API answers with
    });
    const lambda = await withLogs(engineEndpoint);
    cleanups.push(lambda.close);
    return { ...backend.endpoints, engineEndpoint: lambda.endpoint, baseUrl, invoke, invoked, lines, pass };
  };
};

/** A clock of schedules that stands still until time is made to pass. */
const aScheduleClock = () => {
  let now = Date.now();
  const timers = new Set<{ readonly at: number; readonly act: () => void }>();
  const scheduleClock: ScheduleClock = {
    now: () => now,
    after: (ms, act) => {
      const timer = { at: now + ms, act };
      timers.add(timer);
      return () => timers.delete(timer);
    },
  };
  /** Fires what is due after so many milliseconds. */
  const pass = (ms: number): void => {
    now += ms;
    for (const timer of timers) if (timer.at <= now && timers.delete(timer)) timer.act();
  };
  return { scheduleClock, pass };
};

/** The end of a log, in bytes, that Lambda answers an invocation with. */
const TAIL_BYTES = 4_096;

/** Lambda's API with the logs that the local engine lacks: what this process writes meanwhile, since the functions run in it. */
const withLogs = async (engineEndpoint: string) => {
  const open = new Set<string[]>();
  const { stdout } = process;
  const write = stdout.write;
  stdout.write = ((text: string) => {
    for (const written of open) written.push(String(text));
    return true;
  }) as typeof write;
  const server = createServer(async (request, response) => {
    const { method = 'GET', url = '', headers } = request;
    const body = await buffer(request);
    const written: string[] = [];
    open.add(written);
    try {
      const answer = await fetch(`${engineEndpoint}${url}`, {
        method,
        headers: Object.entries(headers).filter(([name]) => /^x-amz|^content-type/.test(name)) as [
          string,
          string,
        ][],
        ...(method === 'GET' ? {} : { body }),
      });
      const text = await answer.text();
      const log = Buffer.from(written.join('')).subarray(-TAIL_BYTES).toString('base64');
      const kept = [...answer.headers].filter(([name]) => name.startsWith('x-amz'));
      const tail = headers['x-amz-log-type'] === 'Tail' ? { 'x-amz-log-result': log } : {};
      response.writeHead(answer.status, { ...Object.fromEntries(kept), ...tail }).end(text);
    } finally {
      open.delete(written);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      stdout.write = write;
      server.closeAllConnections();
      server.close();
    },
  };
};

const contextOf = (functionKey: string) =>
  ({
    awsRequestId: 'request-1',
    functionName: `test-${functionKey}`,
    invokedFunctionArn: `arn:aws:lambda:local:000000000000:function:test-${functionKey}`,
    getRemainingTimeInMillis: () => 60_000,
  }) as Context;
