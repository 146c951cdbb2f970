import { formatDuration } from '../../parts/duration.ts';
import { hasRun, isOpen, mostUrgent, type NodeRun, pathTo, runKey } from './node-runs.ts';

/** The runs of the workflow's own nodes: those of other workflows, which it runs, may have the same ids. */
export const ownRuns = (runs: readonly NodeRun[]): readonly NodeRun[] => {
  const others = new Set(runs.filter(({ type }) => type === 'subworkflow').map(runKey));
  return runs.filter(({ within = '' }) => within === '' || !pathTo(within).some((key) => others.has(key)));
};

/** What the graph says on each node: the state of the run to look at first, its time, how many runs and attempts. */
export const toMarks = (nodes: readonly { readonly id: string }[], runs: readonly NodeRun[], now: number) => {
  const byNode = Map.groupBy(ownRuns(runs), ({ nodeId }) => nodeId);
  return Object.fromEntries(
    nodes.map(({ id }) => {
      const all = byNode.get(id) ?? [];
      const run = mostUrgent(all);
      return [
        id,
        run === null ? { text: 'no run' } : { status: run.status, text: describeRuns(run, all, now) },
      ];
    }),
  );
};

const describeRuns = (run: NodeRun, all: readonly NodeRun[], now: number): string => {
  const ran = all.filter(hasRun);
  if (ran.length === 0) return '';
  const failed = ran.filter(({ status }) => status === 'failed').length;
  if (ran.length > 1) return `${ran.length} runs${failed === 0 ? '' : `, ${failed} failed`}`;
  const took = isOpen(run) ? Math.max(0, now - Date.parse(run.startedAt)) : run.durationMs;
  return `${formatDuration(took)}${run.attempts > 1 ? ` · ${run.attempts} attempts` : ''}`;
};
