import {
  type AwsClient,
  type ExecutionInfo,
  type HttpClient,
  lazy,
  type TcpClient,
} from '@hookloom/plugin-kit';
import type { AwsSettings } from '../../adapters/aws-sdk/aws-client.chunk.ts';
import type { StageTables } from '../../adapters/dynamodb/table-names.ts';
import type { EndOptions } from '../../adapters/events/completion-events.ts';
import { lateHttpClient } from '../../adapters/http-client/late-http-client.ts';
import { forExecution } from '../../adapters/runtime/logger.ts';
import { randomIds, systemClock } from '../../adapters/runtime/system-clock.ts';
import { lateTcpClient } from '../../adapters/tcp-client/late-tcp-client.ts';
import type { OutboundCredentials } from '../../credentials/outbound/outbound-credentials.ts';
import type { OpenFiles, SharedServices } from '../../engine/session.ts';
import type { FilePorts } from '../../executions/files/execution-files.ts';
import { createOpenPlan, createOtherWorkflows } from '../../executions/lifecycle/plans.ts';
import type { FilesFor } from '../../executions/ports.ts';
import type { InstalledPlugins } from '../../plugins/installed-plugin.ts';
import { createCache } from '../../shared/cache.ts';
import { redactField } from '../../shared/secrets/secret-shapes.ts';
import type { StateFor } from '../../state/execution-state.ts';
import type { ValueBlobs } from '../../state/large-values.ts';
import type { Plan } from '../../workflows/plan/plan.ts';
import type { Config } from '../config.ts';
import { openPlugins, openProcess } from '../sandbox.ts';
import {
  late,
  latePort,
  lateSettings,
  openBlobs,
  openEvents,
  openFailures,
  openLogger,
  openStageWorkflows,
  openStores,
  openVersions,
} from './parts.ts';

const openServices = (
  { http, tcp }: { readonly http: HttpClient; readonly tcp: TcpClient },
  { region, workflowRole }: Config,
): SharedServices => ({
  clock: systemClock,
  ids: randomIds,
  http,
  tcp,
  aws: lateAwsClient({ region, role: workflowRole }),
});

/** Adds how runs end: what they publish and report. */
export const withEnds = <Parts extends Pick<ReturnType<typeof openRunParts>, 'logger' | 'client' | 'tables'>>(
  config: Config,
  parts: Parts,
  options?: EndOptions,
) => ({
  ...parts,
  ...openEvents(config, parts.logger, options),
  ...openFailures(config, parts.logger, parts),
});

/** The parts that inline and background runs, and trials, share. */
export const openRunParts = (installed: InstalledPlugins, config: Config) => {
  const logger = openLogger(config, { redact: redactField }); // nodes log external data
  const { executions, client, tables, ...stores } = openStores(config);
  const settings = lateSettings(config, { client, tables });
  const workflows = openVersions(openStageWorkflows(config, { client, tables, ...stores }, settings));
  const { loadNodeTypes, findCredentialType } = openPlugins(
    installed,
    config,
    logger,
    settings.assertEnabled,
  );
  const http = lateHttpClient(config.outboundAllow, config.publicUrl);
  const tcp = lateTcpClient(config.outboundAllow);
  const limitsHosts = config.outboundLimits.length > 0;
  const outboundCredentials = lateCredentials(http, limitsHosts, async () => {
    const { openCredentials } = await import('./open-credentials.chunk.ts');
    return openCredentials(config, { client, tables, http, tcp, findType: findCredentialType });
  });
  const blobs = openBlobs(config);
  const openPlan = createOpenPlan({
    loadNodeTypes,
    lookUpPlan: createCache<Plan>({ ttlMs: Number.POSITIVE_INFINITY, maxEntries: 200, clock: systemClock }),
  });
  return {
    client,
    tables,
    workflows,
    executions,
    openPlan,
    // Their executions see the variables of the execution that runs them.
    otherWorkflows: createOtherWorkflows({ ...workflows, find: stores.workflows.find }, openPlan),
    blobs,
    loadNodeTypes,
    services: openServices({ http: outboundCredentials, tcp }, config),
    outboundCredentials,
    filesFor: lateFiles(config, executions),
    stateFor: lateState({ client, tables, blobs }),
    logger,
    openTrace:
      config.traces === null
        ? undefined
        : late(async () => (await import('./open-trace.chunk.ts')).openTrace(config.traceRatio)),
    guard: openProcess(config, logger)?.guard,
    loggerFor: (execution: ExecutionInfo) => forExecution(logger, execution),
  };
};

/**
 * Outbound credentials, loaded on first use: few workflows have any.
 * @param limitsHosts - whether calls without a credential may have limits
 */
const lateCredentials = (
  http: HttpClient,
  limitsHosts: boolean,
  load: () => Promise<OutboundCredentials>,
): OutboundCredentials => {
  const loadOnce = lazy(load);
  return {
    open: async (reading) => (await loadOnce()).open(reading),
    prefetch: async (ids, maxWaitMs) => {
      if (ids.length > 0) await (await loadOnce()).prefetch(ids, maxWaitMs);
    },
    request: async (request, turn) =>
      request.credential === undefined && !limitsHosts
        ? http.request(request)
        : (await loadOnce()).request(request, turn),
  };
};

/** Files, loaded on first use: few runs have any. @internal */
export const lateFiles = (config: Config, executions: FilePorts['executions']): FilesFor => {
  const loadFilesFor = lazy(async () =>
    (await import('./open-files.chunk.ts')).openFiles(config, executions),
  );
  return (execution) => {
    const openFiles = lazy<OpenFiles>(async () => (await loadFilesFor())(execution));
    return (nodeKey, signal) => {
      const open = lazy(async () => (await openFiles())(nodeKey, signal));
      return {
        save: async (content, about) => (await open()).save(content, about),
        open: async (file) => (await open()).open(file),
      };
    };
  };
};

/**
 * State, loaded on first use: few runs have any.
 * @param isTrial - whether nodes are only tried
 */
export const lateState = (
  stores: StageTables & { readonly blobs: ValueBlobs },
  isTrial = false,
): StateFor => {
  const load = lazy(async () => (await import('./open-state.chunk.ts')).openStateFor(stores, isTrial));
  return (execution) => (nodeKey, signal) => {
    const open = lazy(async () => (await load())(execution)(nodeKey, signal));
    return { run: async (operation) => (await open()).run(operation) };
  };
};

/** An AWS client that loads the SDK for its first call, since few sandboxes make one. */
const lateAwsClient = (settings: AwsSettings): AwsClient =>
  latePort(
    async () => (await import('../../adapters/aws-sdk/aws-client.chunk.ts')).openAwsClient(settings),
    ['send'],
  );
