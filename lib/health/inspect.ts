import type { Clock, Logger } from '@hookloom/plugin-kit';
import { withinDeadline } from '../plugins/call-plugin.ts';
import type { Registry } from '../plugins/load-registry.ts';
import type { LoadedEntry } from '../plugins/plugin.ts';
import { describeStoreFault } from '../shared/store-fault.ts';
import { credentialsOf, inspectPlugin } from './inspect-plugin.ts';
import { createKeeper } from './keep-reports.ts';
import { createProbes, type TestCredential } from './probe-credentials.ts';
import { type FactLimits, type FactStores, readStoredFacts, type StoredFacts } from './stored-facts.ts';

interface Check {
  readonly status: 'healthy' | 'unhealthy';
  readonly message?: string;
}

/** The findings about the service, and about the plugins beyond their own checks. */
export type Inspection = Awaited<ReturnType<Inspect>>;

interface InspectOptions {
  /** Id of the only plugin to inspect; null for all. */
  readonly plugin: string | null;
  readonly probe: boolean;
  /** When the report is due, in milliseconds since the epoch. */
  readonly endsAt: number;
}

type InspectedRegistry = Pick<Registry, 'plugins' | 'findNodeType' | 'credentialTypes'>;

export type Inspect = ReturnType<typeof createInspect>;

export interface InspectParts {
  readonly stores: FactStores;
  /** Writes to where deliveries are stored, by its name in a message: tables and bucket may be readable, but full or denied. */
  readonly writes: Readonly<Record<string, () => Promise<unknown>>>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Creates the live test; called once. */
  readonly openTest: (registry: InspectedRegistry) => TestCredential;
  /** @returns why the function does not work; null if it responds */
  readonly ping: (functionKey: string, deadlineMs: number) => Promise<string | null>;
  /** Keys of functions that only some stages have, and that no request reaches. */
  readonly optionalFunctions?: readonly string[];
  readonly limits?: Partial<InspectLimits>;
}

interface InspectLimits extends FactLimits {
  readonly storeMs: number;
  readonly maxProbes: number;
  readonly probeMs: number;
}

const LIMITS: InspectLimits = {
  maxWorkflows: 300,
  maxCredentials: 200,
  maxPolls: 200,
  maxExecutions: 500,
  runsMs: 3_000,
  storeMs: 5_000,
  maxProbes: 20,
  probeMs: 4_000,
};

/** How long a sandbox caches what it read from the tables, for the reports of all plugins. */
const KEPT_MS = 5_000;

/** Creates the inspection. It never throws because of an unreadable store, a credential or a function. */
export const createInspect = ({
  stores,
  writes,
  clock,
  logger,
  openTest,
  ping,
  optionalFunctions = [],
  limits: changed,
}: InspectParts) => {
  const limits = { ...LIMITS, ...changed };
  const keepChecks = createKeeper<Readonly<Record<string, Check>>>({ clock, ttlMs: CHECKS_KEPT_MS });
  const keepFacts = createKeeper<StoredFacts>({ clock, ttlMs: KEPT_MS });
  const keepWrites = createKeeper<readonly Unwritable[]>({ clock, ttlMs: KEPT_MS });
  let probeAll: ReturnType<typeof createProbes> | undefined;

  const readFacts = async (registry: InspectedRegistry, endsAt: number): Promise<StoredFacts | Check> => {
    try {
      const ms = Math.max(0, Math.min(limits.storeMs, endsAt - clock.now()));
      const read = () => readStoredFacts(stores, registry.findNodeType, clock, limits);
      return (await withinDeadline(clock, ms, () => keepFacts('facts', read))).value;
    } catch (cause) {
      logger.error('stored facts not read', { cause });
      return { status: 'unhealthy', message: `the tables cannot be read: ${describeStoreFault(cause)}` };
    }
  };

  const findUnwritable = async (endsAt: number): Promise<readonly Unwritable[]> => {
    const ms = Math.max(0, Math.min(limits.storeMs, endsAt - clock.now()));
    const attempts = Object.entries(writes).map(async ([name, write]) =>
      withinDeadline(clock, ms, write).then(
        () => [],
        (cause: unknown) => {
          logger.error('not written', { name, cause });
          return [{ name, why: describeStoreFault(cause) }];
        },
      ),
    );
    return (await Promise.all(attempts)).flat();
  };

  const checkFunction = async (functionKey: string, ms: number): Promise<Check> => {
    const message = await withinDeadline(clock, ms, () => ping(functionKey, ms)).catch(
      (error: Error) => error.message,
    );
    return message === null ? { status: 'healthy' } : { status: 'unhealthy', message };
  };

  /** Pings the background functions, all in parallel. */
  const checkFunctions = async (endsAt: number) => {
    const ms = Math.max(0, Math.min(DEADLINE_MS, endsAt - clock.now()));
    const functions: readonly string[] = [...BACKGROUND_FUNCTIONS, ...optionalFunctions];
    const checks = functions.map(async (key) => [key, await checkFunction(key, ms)] as const);
    return Object.fromEntries(await Promise.all(checks));
  };

  const makeProbes = async (
    registry: InspectedRegistry,
    entries: readonly LoadedEntry[],
    facts: StoredFacts,
    endsAt: number,
  ) => {
    probeAll ??= createProbes(clock, openTest(registry));
    const wanted = new Set(entries.flatMap(({ plugin }) => credentialsOf(plugin, facts)));
    const testable = [...wanted].filter(({ revision, problem }) => revision !== null && problem === null);
    return probeAll(testable, { max: limits.maxProbes, deadlineMs: limits.probeMs, endsAt });
  };

  return async (registry: InspectedRegistry, { plugin, probe, endsAt }: InspectOptions) => {
    const entries = registry.plugins.filter(
      (entry): entry is LoadedEntry => entry.status === 'loaded' && (plugin ?? entry.id) === entry.id,
    );
    const [read, { value: unwritable }, { value: functions }] = await Promise.all([
      readFacts(registry, endsAt),
      keepWrites('writes', () => findUnwritable(endsAt)),
      keepChecks('functions', () => checkFunctions(endsAt)),
    ]);
    const facts = 'status' in read ? null : read;
    const followsUrl = (name: string): boolean => {
      const type = registry.credentialTypes.get(name);
      return type?.apply !== undefined && type.setsUrl !== true;
    };
    const probes =
      probe && facts !== null ? await makeProbes(registry, entries, facts, endsAt) : new Map<string, never>();
    return {
      store: 'status' in read ? read : toStoreCheck(unwritable),
      functions,
      coverage: facts === null ? null : toCoverage(facts),
      standing: facts && { silences: facts.silences, expiries: facts.expiries },
      plugins: new Map(entries.map((entry) => [entry.id, inspectPlugin(entry, facts, probes, followsUrl)])),
    };
  };
};

interface Unwritable {
  readonly name: string;
  readonly why: string;
}

/** The log has the whole reason. */
const toStoreCheck = (unwritable: readonly Unwritable[]): Check =>
  unwritable.length === 0
    ? { status: 'healthy' }
    : {
        status: 'unhealthy',
        message: `${unwritable.map(({ name }) => name).join(' and ')} cannot be written, so deliveries are refused or fail: ${[...new Set(unwritable.map(({ why }) => why))].join(', ')}`,
      };

/** How much of the stored data was read; `complete: false` if there is more than a report reads. */
const toCoverage = ({ workflows, credentials, polls, runs }: StoredFacts) => ({
  workflows: { read: workflows.count, complete: workflows.isComplete },
  credentials: { read: credentials.states.length, complete: credentials.isComplete },
  polls: { read: polls.read, complete: polls.isComplete },
  executions: {
    read: runs.executions,
    complete: runs.isComplete,
    since: new Date(runs.since).toISOString(), // start of the period that the report covers
  },
});

/** Functions that no request reaches: if one can't start, no caller gets an error. */
const BACKGROUND_FUNCTIONS = [
  'runDurable',
  'runExpress',
  'dispatch',
  'sweep',
  'sweepRegistrations',
  'aggregate',
  'retryExecutions',
] as const;

/** Time limit for the answer of one function, including a cold start. */
const DEADLINE_MS = 5_000;

/** How long a report on functions is kept, longer than other checks: a ping is an invocation. */
const CHECKS_KEPT_MS = 60_000;
