import { type Clock, type Logger, lazy } from '@hookloom/plugin-kit';
import { createAwsCaller } from '../../adapters/aws/aws-caller.ts';
import { createLambdaPing } from '../../adapters/aws/lambda-ping.ts';
import {
  createCredentialStore,
  createOutboundCredentialStore,
} from '../../adapters/dynamodb/credential-stores.ts';
import { createExecutionStore } from '../../adapters/dynamodb/executions/execution-store.ts';
import {
  createListDefinitions,
  createRunSource,
  createWriteProbe,
} from '../../adapters/dynamodb/health/health-reads.ts';
import { createStandingStore } from '../../adapters/dynamodb/health/standing-store.ts';
import { createJsonClient } from '../../adapters/dynamodb/json-client.ts';
import { createRenewalLocks } from '../../adapters/dynamodb/limits/renewal-locks.ts';
import { createSettingsReader } from '../../adapters/dynamodb/settings-store.ts';
import { createStateStore } from '../../adapters/dynamodb/state-store.ts';
import { findVersionProblem, readStageVersions } from '../../adapters/dynamodb/stored-data/stage-versions.ts';
import { tableNames } from '../../adapters/dynamodb/table-names.ts';
import { lateHttpClient } from '../../adapters/http-client/late-http-client.ts';
import { randomIds, systemClock } from '../../adapters/runtime/system-clock.ts';
import { lateTcpClient } from '../../adapters/tcp-client/late-tcp-client.ts';
import { findAccepted } from '../../executions/lifecycle/find-accepted.ts';
import { type BlobStore, toBlobKey } from '../../executions/record/blob-store.ts';
import { createInspect, type Inspect } from '../../health/inspect.ts';
import { OPTIONAL_FUNCTIONS } from '../../health/ping.ts';
import type { Registry } from '../../plugins/load-registry.ts';
import type { Config } from '../config.ts';

/** Always the same object, whose prefix has a lifetime of days. The role of the function may write no other. */
const PROBE_BLOB = toBlobKey('health', 'written', true);

/** A full disk may still take an empty file. */
const PROBE_BYTES = 1_024;

/** The inspection of the plugins, based on the data that this stage has stored. */
export const openInspect = (
  config: Config,
  logger: Logger,
  blobs: Pick<BlobStore, 'put'>,
  clock: Clock,
): Inspect => {
  const { region, dynamodbEndpoint: endpoint } = config;
  const tables = tableNames(config.tablePrefix ?? '');
  const client = createJsonClient({ region, endpoint });
  return createInspect({
    writes: {
      'the table of executions': createWriteProbe(client, tables, clock),
      'the bucket': () => blobs.put(PROBE_BLOB, new Uint8Array(PROBE_BYTES)),
    },
    stores: {
      listWorkflows: createListDefinitions(client, tables),
      runs: createRunSource(client, tables),
      inbound: createCredentialStore(client, tables),
      outbound: createOutboundCredentialStore(client, tables),
      renewals: createRenewalLocks(client, tables),
      settings: createSettingsReader(client, tables),
      state: createStateStore(client, tables),
      standing: createStandingStore(client, tables),
    },
    openTest: (registry) => {
      const load = lazy(() => openTests(config, registry));
      return async (id, signal) => (await load()).test(id, signal);
    },
    ping: openPing(config),
    optionalFunctions: config.traces === null ? [] : OPTIONAL_FUNCTIONS,
    clock,
    logger,
  });
};

/** Time limits of a ping, longer than a function's cold start. */
const PING_TIMEOUTS = { connectMs: 1_000, exchangeMs: 10_000 };

const openPing = ({ region, lambdaEndpoint: endpoint, tablePrefix }: Config) => {
  const call = createAwsCaller({ service: 'lambda', region, endpoint, timeouts: PING_TIMEOUTS });
  const ping = createLambdaPing(call, {
    prefix: tablePrefix ?? '',
    nextName: randomIds.next,
    now: systemClock.now,
  });
  return async (functionKey: string, deadlineMs: number): Promise<string | null> => {
    const answer = await ping(functionKey, deadlineMs);
    return 'pong' in answer ? null : answer.reason;
  };
};

/** The live tests of credentials, with the types of the installed plugins. */
export const openTests = async (config: Config, { credentialTypes }: Pick<Registry, 'credentialTypes'>) => {
  const { region, dynamodbEndpoint: endpoint, outboundAllow, tablePrefix } = config;
  const { openCredentialTests } = await import('./open-credentials.chunk.ts');
  return openCredentialTests(config, {
    client: createJsonClient({ region, endpoint }),
    tables: tableNames(tablePrefix ?? ''),
    http: lateHttpClient(outboundAllow),
    tcp: lateTcpClient(outboundAllow),
    findType: async (type) => credentialTypes.get(type) ?? null,
  });
};

/** What `hookloom doctor` asks of the stored data. */
export const openStoredData = (config: Config) => {
  const { region, dynamodbEndpoint: endpoint, retentionDays } = config;
  const tables = tableNames(config.tablePrefix ?? '');
  const client = createJsonClient({ region, endpoint });
  const executions = createExecutionStore(client, tables, { retentionDays, clock: systemClock });
  return {
    /** Why this release can't read the data, according to the recorded versions; null if it can. */
    findProblem: async () => {
      const stage = await readStageVersions(client, tables);
      return stage === null ? null : findVersionProblem(stage);
    },
    findAccepted: () => findAccepted(executions, systemClock.now()),
    findSilences: async () => (await createStandingStore(client, tables).find()).silences,
  };
};
