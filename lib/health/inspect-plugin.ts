import { ANY_HOST } from '../credentials/outbound/host-pattern.ts';
import type { LoadedEntry, PluginNodeType } from '../plugins/plugin.ts';
import type { CredentialState } from './check-credentials.ts';
import { isTooMany, type RunCount, shareOf } from './count-runs.ts';
import { findSchemaProblems } from './find-schema-problems.ts';
import type { Probe } from './probe-credentials.ts';
import type { StoredFacts } from './stored-facts.ts';

export interface Problem {
  readonly status: 'unhealthy' | 'warning';
  readonly message: string;
}

interface CredentialHealth {
  /** Null when there is no such credential. */
  readonly type: string | null;
  readonly status: 'healthy' | 'warning' | 'unhealthy';
  readonly message?: string;
  /** Ids of workflows that name it; the first ones of many. */
  readonly workflows: readonly string[];
  /** With `probe` alone. */
  readonly tested?: boolean;
  /** ISO 8601, UTC. */
  readonly testedAt?: string;
}

/** The fields that a plugin's row has beside those of its own checks. All are absent where the tables can't be read. */
export interface PluginDetails {
  /** Whether an enabled workflow uses one of its node types or of its credentials; absent where not all were read. */
  readonly configured?: boolean;
  /** Those that enabled workflows name, by id. Absent when there are none. */
  readonly credentials?: Readonly<Record<string, CredentialHealth>>;
  /** Of its node types that ran. Absent when there are none. */
  readonly runs?: Readonly<Record<string, RunCount & { readonly share: number }>>;
}

export interface PluginInspection {
  readonly problems: readonly Problem[];
  readonly details: PluginDetails;
}

/** The results of live tests by the id of the credential; empty when none were made. */
type Probes = ReadonlyMap<string, Probe>;

/** Whether credentials of a type go to the URL of a request: the type is installed, is applied, and sets no URL itself. */
type FollowsUrl = (credentialType: string) => boolean;

/**
 * Finds what is wrong with a plugin beyond its own checks.
 *
 * @param facts - null when the tables can't be read
 */
export const inspectPlugin = (
  { plugin }: Pick<LoadedEntry, 'plugin'>,
  facts: StoredFacts | null,
  probes: Probes,
  followsUrl: FollowsUrl,
): PluginInspection => {
  const schemas = findSchemaProblems(plugin).map((message): Problem => ({ status: 'unhealthy', message }));
  if (facts === null) return { problems: schemas, details: {} };
  const states = credentialsOf(plugin, facts);
  const credentials = states.map((state) => {
    const health = describeCredential(state, probes);
    const shown = warnOfAnyHost(state, health, followsUrl);
    // One that is for any host on purpose is no problem of the plugin: its report would never be healthy again.
    return { id: state.id, shown, counted: state.hosts === null ? shown : health };
  });
  const runs = plugin.nodeTypes.flatMap((nodeType) => {
    const count = facts.runs.counts.get(nodeType.nodeType);
    return count === undefined ? [] : [{ nodeType, count }];
  });
  const isUsed =
    states.length > 0 || plugin.nodeTypes.some(({ nodeType }) => facts.usage.nodeTypes.has(nodeType));
  return {
    problems: [
      ...schemas,
      ...credentials.flatMap(({ id, counted }) => toCredentialProblem(id, counted)),
      ...runs.filter(failsUnexpectedly).map(toRunProblem),
    ],
    details: {
      ...(isUsed || facts.workflows.isComplete ? { configured: isUsed } : {}),
      ...(credentials.length === 0
        ? {}
        : { credentials: Object.fromEntries(credentials.map(({ id, shown }) => [id, shown])) }),
      ...(runs.length === 0
        ? {}
        : {
            runs: Object.fromEntries(
              runs.map(({ nodeType, count }) => [nodeType.nodeType, { ...count, share: shareOf(count) }]),
            ),
          }),
    },
  };
};

/** The credentials that its node types use, and those of its own types. */
export const credentialsOf = (
  { nodeTypes, credentialTypes }: LoadedEntry['plugin'],
  { credentials }: Pick<StoredFacts, 'credentials'>,
): readonly CredentialState[] =>
  credentials.states.filter(
    ({ type, uses }) =>
      credentialTypes.some(({ id }) => id === type) ||
      uses.some((use) => nodeTypes.some(({ nodeType }) => nodeType === use.nodeType)),
  );

/** How many workflows are named beside a credential. */
const MAX_WORKFLOWS = 5;

const describeCredential = (
  { id, type, uses, problem }: CredentialState,
  probes: Probes,
): CredentialHealth => {
  const workflows = [...new Set(uses.map(({ workflowId }) => workflowId))].slice(0, MAX_WORKFLOWS);
  if (problem !== null) return { type, status: 'unhealthy', message: `it ${problem}`, workflows };
  const probe = probes.get(id);
  if (probe === undefined) return { type, status: 'healthy', workflows };
  const { status, message, testedAt } = probe;
  if (status === 'untested')
    return { type, status: 'healthy', message: `not tested: ${message}`, workflows, tested: false };
  return {
    type,
    status,
    ...(message === undefined ? {} : { message }),
    workflows,
    tested: true,
    ...(testedAt === null ? {} : { testedAt: new Date(testedAt).toISOString() }),
  };
};

/** A URL that a workflow computes decides where such a credential goes. */
const warnOfAnyHost = (
  { id, type, revision, hosts }: CredentialState,
  health: CredentialHealth,
  followsUrl: FollowsUrl,
): CredentialHealth => {
  const isForAny = revision !== null && (hosts === null || hosts.includes(ANY_HOST));
  if (!isForAny || health.status === 'unhealthy' || type === null || !followsUrl(type)) return health;
  const why =
    hosts === null
      ? `it is for any host, because it names none: run "credential hosts ${id} --host NAME"`
      : `it is for any host, as its hosts say: "${ANY_HOST}"`;
  const message = health.message === undefined ? why : `${health.message}; ${why}`;
  return { ...health, status: 'warning', message };
};

const toCredentialProblem = (
  id: string,
  { status, message = 'it does not pass its live test', workflows: [workflow] }: CredentialHealth,
): Problem[] =>
  status === 'healthy'
    ? []
    : [{ status, message: `the credential "${id}" of the workflow "${workflow}": ${message}` }];

interface NodeTypeRuns {
  readonly nodeType: PluginNodeType;
  readonly count: RunCount;
}

/** A node type without outputs does nothing but fail. */
const failsUnexpectedly = ({ nodeType: { outputs }, count }: NodeTypeRuns): boolean =>
  isTooMany(count) && (typeof outputs === 'function' || outputs.length > 0);

const toRunProblem = ({ nodeType: { nodeType }, count: { runs, failed } }: NodeTypeRuns): Problem => ({
  status: 'warning',
  message: `${failed} of ${runs} runs of "${nodeType}" failed in the last day`,
});
