import type { Answer } from '../../api/routes.ts';

export type Execution = Answer<'GET /api/admin/executions/{executionId}'>;

export type NodeRun = Execution['nodes'][number];

/** Names one run of a node: in a loop a node has one for each iteration, in a body one for each item. */
export type RunId = Pick<NodeRun, 'nodeId' | 'iteration' | 'within'>;

/** A node run with those inside of it. */
export interface RunBranch {
  readonly key: string;
  readonly run: NodeRun;
  /** Bodies that it ran, one for each item, and the run of another workflow: failed ones first, then open ones. */
  readonly items: readonly RunItem[];
}

export interface RunItem {
  /** Prefix of its runs: `each/0/3`. */
  readonly within: string;
  /** Counts from 0 within its node run. */
  readonly number: number;
  readonly branches: readonly RunBranch[];
  readonly hasFailed: boolean;
  readonly isOpen: boolean;
}

/** The key of a node run within its execution: `each/0/3/check/0`. */
export const runKey = ({ nodeId, iteration, within = '' }: RunId): string =>
  `${within === '' ? '' : `${within}/`}${nodeId}/${iteration}`;

/** The key of the node run that runs a body: of `each/0/3` it is `each/0`. */
const ownerOf = (within: string): string => within.slice(0, within.lastIndexOf('/'));

/** Whether a node has run, or runs: others were skipped or are disabled. */
export const hasRun = ({ status }: NodeRun): boolean => status !== 'skipped' && status !== 'passedThrough';

export const isOpen = ({ status }: Pick<NodeRun, 'status'>): boolean =>
  status === 'running' || status === 'waiting';

const FINAL: readonly string[] = ['succeeded', 'failed', 'cancelled', 'timedOut'];

/** Whether an execution has ended for good. */
export const isFinal = ({ status }: Pick<Execution, 'status'>): boolean => FINAL.includes(status);

/** Arranges node runs, which the API lists in the order of their starts. Those whose node run is missing are at the top. */
export const toTree = (runs: readonly NodeRun[]): readonly RunBranch[] => {
  const keys = new Set(runs.map(runKey));
  const bodies = new Map<string, NodeRun[]>();
  const top: NodeRun[] = [];
  for (const run of runs) {
    const { within = '' } = run;
    if (within === '' || !keys.has(ownerOf(within))) {
      top.push(run);
      continue;
    }
    const body = bodies.get(within) ?? [];
    bodies.set(within, body);
    body.push(run);
  }
  const byOwner = Map.groupBy(bodies.keys(), ownerOf);
  const toBranch = (run: NodeRun): RunBranch => {
    const key = runKey(run);
    return { key, run, items: (byOwner.get(key) ?? []).map(toItem).sort(byUrgency) };
  };
  const toItem = (within: string): RunItem => {
    const own = bodies.get(within) ?? [];
    const branches = own.map(toBranch);
    const inner = branches.flatMap(({ items }) => items);
    return {
      within,
      number: Number(within.slice(within.lastIndexOf('/') + 1)),
      branches,
      hasFailed: own.some(({ status }) => status === 'failed') || inner.some(({ hasFailed }) => hasFailed),
      isOpen: own.some(isOpen) || inner.some((item) => item.isOpen),
    };
  };
  return top.map(toBranch);
};

const urgencyOf = ({ hasFailed, isOpen: isItemOpen }: RunItem): number =>
  hasFailed ? 0 : isItemOpen ? 1 : 2;

const byUrgency = (a: RunItem, b: RunItem): number => urgencyOf(a) - urgencyOf(b) || a.number - b.number;

/** The keys of the node runs and bodies around the runs of a body, with its own: `each/0` and `each/0/3`. */
export const pathTo = (within: string): readonly string[] => {
  const parts = within.split('/');
  return parts.flatMap((_, at) => (at % 3 === 0 ? [] : [parts.slice(0, at + 1).join('/')]));
};

/** The node of the workflow itself that a node run belongs to. */
export const rootOf = ({ nodeId, within }: RunId): string => within?.split('/')[0] ?? nodeId;

const BY_URGENCY = ['failed', 'running', 'waiting', 'succeeded', 'passedThrough', 'skipped'] as const;

/** Of several runs of a node, the one to look at first: one that failed, else one that is open, else the last. */
export const mostUrgent = (runs: readonly NodeRun[]): NodeRun | null =>
  runs.reduce<NodeRun | null>(
    (found, run) =>
      found === null || BY_URGENCY.indexOf(run.status) <= BY_URGENCY.indexOf(found.status) ? run : found,
    null,
  );

/** The node run that an address names; without an iteration, the one to look at first. */
export const findRun = (
  runs: readonly NodeRun[],
  { node, within, iteration }: Readonly<Record<'node' | 'within' | 'iteration', string>>,
): NodeRun | null =>
  mostUrgent(
    runs.filter(
      (run) =>
        run.nodeId === node &&
        (within === '' ? iteration === '' || run.within === undefined : run.within === within) &&
        (iteration === '' || run.iteration === Number(iteration)),
    ),
  );
