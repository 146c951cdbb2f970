import type { Clock } from '@hookloom/plugin-kit';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import pLimit from 'p-limit';
import type { CredentialStore } from '../credentials/credential.ts';
import type {
  OutboundCredential,
  OutboundCredentialStore,
} from '../credentials/outbound/outbound-credential.ts';
import type { RenewalLocks } from '../credentials/outbound/ports.ts';
import type { SettingsReader } from '../shared/settings/settings.ts';
import { findPollFailure, readPollRecord } from '../state/poll-record.ts';
import { type StateStore, scopeOfWorkflow } from '../state/state-store.ts';
import { findCredentialUses } from '../workflows/definition/credential-uses.ts';
import type { WorkflowDefinition } from '../workflows/definition/definition.ts';
import { pollOf } from '../workflows/plan/poll-type.ts';
import { type RunSource, type SampledWorkflow, sampleRuns } from './sample-runs.ts';
import type { StandingStore } from './standing-store.ts';

/** The stored workflows, up to the store's limit. */
export interface StoredWorkflows {
  readonly definitions: readonly WorkflowDefinition[];
  /** All ids, including removed workflows whose executions are still stored. */
  readonly ids: readonly string[];
  readonly isComplete: boolean;
}

export interface FactStores {
  readonly inbound: Pick<CredentialStore, 'find'>;
  readonly outbound: Pick<OutboundCredentialStore, 'find'>;
  readonly renewals: Pick<RenewalLocks, 'find'>;
  /** Lists the workflows. @throws AppError `STORE_UNAVAILABLE` */
  readonly listWorkflows: () => Promise<StoredWorkflows>;
  readonly runs: RunSource;
  readonly settings: Pick<SettingsReader, 'find'>;
  readonly state: Pick<StateStore, 'find'>;
  readonly standing: Pick<StandingStore, 'find'>;
}

export interface FactLimits {
  readonly maxCredentials: number;
  readonly maxPolls: number;
  readonly maxExecutions: number;
  readonly maxWorkflows: number;
  readonly runsMs: number;
}

/** What the tables contain about the plugins' use. */
export type StoredFacts = Awaited<ReturnType<typeof readStoredFacts>>;

const DAY_MS = 86_400_000;

/**
 * Reads the stored workflows, the credentials they use, what their triggers that poll have noted, and their executions of the
 * last day.
 *
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const readStoredFacts = async (
  stores: FactStores,
  findNodeType: FindNodeType,
  clock: Pick<Clock, 'now'>,
  { maxCredentials, maxPolls, maxExecutions, maxWorkflows, runsMs }: FactLimits,
) => {
  const workflows = await stores.listWorkflows();
  const usage = findUsage(workflows.definitions, findNodeType);
  const now = clock.now();
  const since = now - DAY_MS;
  const limits = { maxExecutions, maxWorkflows, clock, endsAt: now + runsMs };
  const [credentials, polls, { content: disabled }, { silences, expiries }, sample] = await Promise.all([
    checkCredentials(usage, stores, maxCredentials),
    checkPolls(usage, stores, now, maxPolls),
    stores.settings.find('plugins'),
    stores.standing.find(),
    sampleRuns(toSampled(workflows), since, stores.runs, limits),
  ]);
  return {
    usage,
    workflows: { count: workflows.definitions.length, isComplete: workflows.isComplete },
    credentials,
    polls,
    /** The sampled executions; `since` is in milliseconds since the epoch. */
    runs: { ...sample, isComplete: sample.isComplete && workflows.isComplete, since },
    disabled,
    silences,
    expiries,
  };
};

const toSampled = ({ ids, definitions }: StoredWorkflows): readonly SampledWorkflow[] => {
  const ofHighVolume = new Set(
    definitions.filter(({ settings }) => settings?.highVolume === true).map(({ id }) => id),
  );
  return ids.map((id) => ({ id, isHighVolume: ofHighVolume.has(id) }));
};

/** A node, as the user of a credential. */
interface CredentialUse {
  readonly workflowId: string;
  readonly nodeType: string;
  /** The credential types that the node accepts; null if no loaded plugin has the node's type. */
  readonly takes: readonly string[] | null;
}

/** What can run: the enabled nodes of enabled workflows. */
interface Usage {
  readonly nodeTypes: ReadonlyMap<string, ReadonlySet<string>>;
  readonly credentials: ReadonlyMap<string, readonly CredentialUse[]>;
  readonly polls: readonly PollPlace[];
}

interface PollPlace {
  readonly workflowId: string;
  readonly triggerNodeId: string;
  readonly nodeType: string;
}

const findUsage = (definitions: readonly WorkflowDefinition[], findNodeType: FindNodeType): Usage => {
  const nodeTypes = new Map<string, Set<string>>();
  const credentials = new Map<string, CredentialUse[]>();
  const polls: PollPlace[] = [];
  for (const { id: workflowId, enabled, nodes } of definitions) {
    if (!enabled) continue;
    for (const node of nodes) {
      if (node.disabled === true) continue;
      nodeTypes.set(node.type, (nodeTypes.get(node.type) ?? new Set()).add(workflowId));
      const nodeType = findNodeType(node.type);
      const isKnown = nodeType !== null;
      if (pollOf(nodeType) !== null) polls.push({ workflowId, triggerNodeId: node.id, nodeType: node.type });
      for (const { credentialId, takes } of findCredentialUses(node, findNodeType)) {
        const use = { workflowId, nodeType: node.type, takes: isKnown ? takes : null };
        credentials.set(credentialId, [...(credentials.get(credentialId) ?? []), use]);
      }
    }
  }
  return { nodeTypes, credentials, polls };
};

/** A credential that stored workflows refer to. */
export interface CredentialState {
  readonly id: string;
  /** The credential's type; null if the credential does not exist. */
  readonly type: string | null;
  readonly uses: readonly CredentialUse[];
  /** What is wrong with the credential, as a predicate without its name; null if nothing is. */
  readonly problem: string | null;
  /** Revision of an outbound credential, which can be tested; null for an inbound one. */
  readonly revision: number | null;
  /** The hosts that an outbound credential is limited to; null for inbound ones, and for those created without hosts. */
  readonly hosts: readonly string[] | null;
}

const CONCURRENCY = 8;

/**
 * Checks, from the table only, that the credentials of stored workflows exist, have a secret, and are of a type that
 * their nodes accept.
 *
 * @param max - how many to read at most
 * @throws AppError `STORE_UNAVAILABLE`
 */
const checkCredentials = async (
  { credentials }: Pick<Usage, 'credentials'>,
  stores: FactStores,
  max: number,
) => {
  const states = await pLimit(CONCURRENCY).map([...credentials].slice(0, max), ([id, uses]) =>
    checkCredential(id, uses, stores),
  );
  return { states, isComplete: credentials.size <= max };
};

const checkCredential = async (
  id: string,
  uses: readonly CredentialUse[],
  { inbound, outbound, renewals }: FactStores,
): Promise<CredentialState> => {
  const lent = await outbound.find(id);
  if (lent !== null) {
    const { type, revision, reference, hosts } = lent;
    const problem = reference === '' ? NO_SECRET : findMismatch(type, uses);
    return { id, type, uses, revision, hosts, problem: problem ?? (await findRefusal(lent, renewals)) };
  }
  const own = await inbound.find(id);
  if (own === null) return { id, type: null, uses, ...INBOUND, problem: 'does not exist' };
  const problem = own.secrets.length === 0 ? NO_SECRET : findMismatch(own.type, uses);
  return { id, type: own.type, uses, ...INBOUND, problem };
};

/** A renewal of the secret that its server refused, such as a sign-in that was revoked. */
const findRefusal = async (
  { id, revision }: OutboundCredential,
  renewals: FactStores['renewals'],
): Promise<string | null> => {
  const { refusal = null } = (await renewals.find(id)) ?? {};
  return refusal?.revision === revision ? `was refused when it was last renewed: ${refusal.reason}` : null;
};

const INBOUND = { revision: null, hosts: null } as const;

const NO_SECRET = 'has no secret';

const findMismatch = (type: string, uses: readonly CredentialUse[]): string | null => {
  const wrong = uses.find(({ takes }) => takes !== null && !takes.includes(type));
  if (wrong === undefined) return null;
  const takes = wrong.takes?.join(', ') || 'none';
  return `has type ${type}, but ${wrong.nodeType} accepts ${takes}`;
};

/** A trigger whose latest poll failed. */
export interface FailingPoll extends PollPlace {
  /** When the first poll failed after the last success; ISO 8601, UTC. */
  readonly since: string;
  readonly message: string;
  /** The failed execution of the latest poll; null if it has none. */
  readonly executionId: string | null;
}

/**
 * Finds the triggers that can't poll, by what their latest poll has noted: those that have failed the longest first.
 *
 * @param max - how many to read at most
 * @throws AppError `STORE_UNAVAILABLE`
 */
const checkPolls = async (
  { polls }: Pick<Usage, 'polls'>,
  { state }: Pick<FactStores, 'state'>,
  now: number,
  max: number,
) => {
  const found = await pLimit(CONCURRENCY).map(polls.slice(0, max), async (place): Promise<FailingPoll[]> => {
    const record = readPollRecord(
      await state.find(scopeOfWorkflow(place.workflowId), place.triggerNodeId),
      now,
    );
    const failure = record && findPollFailure(record, now);
    if (!failure) return [];
    const { since, message, executionId } = failure;
    return [{ ...place, since, message, executionId }];
  });
  const failing = found.flat().toSorted((a, b) => (a.since < b.since ? -1 : 1));
  return { read: found.length, failing, isComplete: polls.length <= max };
};
