import { findSchemaFault } from '@hookloom/bounded-schema';
import type { JsonObject } from '@hookloom/plugin-kit';
import { namesOfOutputs } from '@hookloom/plugin-kit/host';
import { ANY_HOST } from '../credentials/outbound/host-pattern.ts';
import { describeError } from '../plugins/call-plugin.ts';
import { describeDisabled } from '../plugins/disabled-plugins.ts';
import type { LoadedEntry, Plugin, PluginNodeType } from '../plugins/plugin.ts';
import type { Probe } from './probe-credentials.ts';
import { isTooMany, type RunCount, shareOf } from './sample-runs.ts';
import type { CredentialState, FailingPoll, StoredFacts } from './stored-facts.ts';

export interface Problem {
  readonly status: 'unhealthy' | 'warning';
  readonly message: string;
}

interface CredentialHealth {
  /** The credential's type; null if the credential does not exist. */
  readonly type: string | null;
  readonly status: 'healthy' | 'warning' | 'unhealthy';
  readonly message?: string;
  /** Ids of workflows that use the credential; only the first few. */
  readonly workflows: readonly string[];
  /** Whether the credential was tested; only with `probe`. */
  readonly tested?: boolean;
  /** When the credential was tested; ISO 8601, UTC. */
  readonly testedAt?: string;
}

/** The fields of a plugin's row in addition to those of its own checks. All are absent if the tables can't be read. */
export interface PluginDetails {
  /**
   * Whether an enabled workflow uses one of the plugin's node types or credentials; absent if not all workflows were
   * read.
   */
  readonly configured?: boolean;
  /** The credentials that enabled workflows use, by id. Absent if there are none. */
  readonly credentials?: Readonly<Record<string, CredentialHealth>>;
  /** Runs of the plugin's node types; absent if there are none. */
  readonly runs?: Readonly<Record<string, RunCount & { readonly share: number }>>;
  /** The triggers of enabled workflows whose latest poll failed; absent if there are none. */
  readonly failingPolls?: readonly FailingPoll[];
}

export interface PluginInspection {
  /** Since when and why the plugin is disabled on the stage, and by whom it is used; null if it is enabled. */
  readonly disabled: string | null;
  readonly problems: readonly Problem[];
  readonly details: PluginDetails;
}

/** Live test results by credential id; empty if none were made. */
type Probes = ReadonlyMap<string, Probe>;

/**
 * Whether credentials of a type are sent to a request's URL: the type is installed, has `apply`, and does not set the
 * URL itself.
 */
type FollowsUrl = (credentialType: string) => boolean;

/**
 * Finds problems of a plugin beyond its own checks.
 *
 * @param facts - null if the tables can't be read
 */
export const inspectPlugin = (
  { plugin }: Pick<LoadedEntry, 'plugin'>,
  facts: StoredFacts | null,
  probes: Probes,
  followsUrl: FollowsUrl,
): PluginInspection => {
  const schemas = findSchemaProblems(plugin).map((message): Problem => ({ status: 'unhealthy', message }));
  if (facts === null) return { disabled: null, problems: schemas, details: {} };
  const states = credentialsOf(plugin, facts);
  const credentials = states.map((state) => {
    const health = describeCredential(state, probes);
    const shown = warnOfAnyHost(state, health, followsUrl);
    // A credential deliberately allowed for any host is not a problem of the plugin: the report would never be healthy
    // again.
    return { id: state.id, shown, counted: state.hosts === null ? shown : health };
  });
  const runs = plugin.nodeTypes.flatMap((nodeType) => {
    const count = facts.runs.counts.get(nodeType.nodeType);
    return count === undefined ? [] : [{ nodeType, count }];
  });
  const failingPolls = facts.polls.failing
    .filter((poll) => plugin.nodeTypes.some(({ nodeType }) => nodeType === poll.nodeType))
    .map((poll) => ({ ...poll, message: describeError(poll.message) }));
  const isUsed =
    states.length > 0 || plugin.nodeTypes.some(({ nodeType }) => facts.usage.nodeTypes.has(nodeType));
  return {
    disabled: findDisabled(plugin, facts),
    problems: [
      ...schemas,
      ...credentials.flatMap(({ id, counted }) => toCredentialProblem(id, counted)),
      ...failingPolls.map(toPollProblem),
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
      ...(failingPolls.length === 0 ? {} : { failingPolls }),
    },
  };
};

const findDisabled = ({ id, nodeTypes }: Plugin, { disabled, usage }: StoredFacts): string | null => {
  const setting = disabled.find((other) => other.id === id);
  if (setting === undefined) return null;
  const users = [...new Set(nodeTypes.flatMap(({ nodeType }) => [...(usage.nodeTypes.get(nodeType) ?? [])]))];
  const rest = users.length - MAX_WORKFLOWS;
  const named = `${users.slice(0, MAX_WORKFLOWS).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
  const state = `it is ${describeDisabled(setting)}`;
  return users.length === 0 ? state : `${state}; it fails in ${named}`;
};

/** The credentials that its node types use, and those of its credential types. */
export const credentialsOf = (
  { nodeTypes, credentialTypes }: LoadedEntry['plugin'],
  { credentials }: Pick<StoredFacts, 'credentials'>,
): readonly CredentialState[] =>
  credentials.states.filter(
    ({ type, uses }) =>
      credentialTypes.some(({ id }) => id === type) ||
      uses.some((use) => nodeTypes.some(({ nodeType }) => nodeType === use.nodeType)),
  );

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

/** Warns of credentials that may be sent to any host: a URL computed by a workflow decides where they go. */
const warnOfAnyHost = (
  { id, type, revision, hosts }: CredentialState,
  health: CredentialHealth,
  followsUrl: FollowsUrl,
): CredentialHealth => {
  const isForAny = revision !== null && (hosts === null || hosts.includes(ANY_HOST));
  if (!isForAny || health.status === 'unhealthy' || type === null || !followsUrl(type)) return health;
  const why =
    hosts === null
      ? `it is allowed for any host because it lists none: run "credential hosts ${id} --host NAME"`
      : `it is allowed for any host: its hosts include "${ANY_HOST}"`;
  const message = health.message === undefined ? why : `${health.message}; ${why}`;
  return { ...health, status: 'warning', message };
};

const toCredentialProblem = (
  id: string,
  { status, message = 'it failed its live test', workflows: [workflow] }: CredentialHealth,
): Problem[] =>
  status === 'healthy'
    ? []
    : [{ status, message: `credential "${id}" of workflow "${workflow}": ${message}` }];

interface NodeTypeRuns {
  readonly nodeType: PluginNodeType;
  readonly count: RunCount;
}

/** Whether a node type fails unexpectedly: one without outputs is meant to fail. */
const failsUnexpectedly = ({ nodeType: { outputs }, count }: NodeTypeRuns): boolean =>
  isTooMany(count) && (typeof outputs === 'function' || namesOfOutputs(outputs, {}).length > 0);

const toRunProblem = ({ nodeType: { nodeType }, count: { runs, failed } }: NodeTypeRuns): Problem => ({
  status: 'warning',
  message: `${failed} of ${runs} runs of "${nodeType}" failed in the last day`,
});

const toPollProblem = ({ workflowId, triggerNodeId, since, message }: FailingPoll): Problem => ({
  status: 'warning',
  message: `trigger "${triggerNodeId}" of workflow "${workflowId}" can't poll since ${since}: ${message}`,
});

/** The plugin's schemas that do not compile; workflows that use them cannot be stored. */
const findSchemaProblems = ({
  nodeTypes,
  credentialTypes,
}: Pick<Plugin, 'nodeTypes' | 'credentialTypes'>): string[] => [
  ...nodeTypes.flatMap(({ nodeType, schema }) => describeSchemaFault(`the node type "${nodeType}"`, schema)),
  ...credentialTypes.flatMap(({ id, schema }) => describeSchemaFault(`the credential type "${id}"`, schema)),
];

const describeSchemaFault = (owner: string, schema: JsonObject): string[] => {
  const fault = findSchemaFault(schema);
  if (fault === null) return [];
  const place = fault.place === '' ? '' : ` at ${fault.place}`;
  return [`the schema of ${owner} is not valid${place}: ${describeError(fault.message)}`];
};
