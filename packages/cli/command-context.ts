import type { FindNodeType } from '@hookloom/plugin-kit/host';
import type { PluginEntry } from '../../lib/plugins/plugin.ts';
import type { Io } from './io.ts';
import type { Target } from './target.ts';

/** What each group of commands depends on. */
export interface CommandContext {
  readonly io: Io;
  /** Loads the node types on demand, so that other commands start faster. */
  readonly loadNodeTypes: () => Promise<FindNodeType>;
  readonly loadPlugins: () => Promise<readonly PluginEntry[]>;
  /** Opens the target named on the command line. */
  readonly onTarget: (action: (context: TargetContext) => Promise<void>) => Promise<void>;
}

export interface TargetContext {
  readonly io: Io;
  readonly target: Target;
}

/** A hint for lists over all workflows. */
export const EARLIER_NOTE =
  'Entries stored before the upgrade appear only with --workflow ID. `hookloom migrate` adds them to this list.';

/**
 * Refuses an unknown workflow when a list found nothing: its name may be wrong.
 *
 * @param id - null for all workflows
 * @throws ApiProblem
 */
export const refuseUnknownWorkflow = async (id: string | null, { target }: TargetContext): Promise<void> => {
  // A removed workflow still has its versions, as its executions.
  if (id !== null)
    await target.api.call('GET', `/api/admin/workflows/${id}/versions`, { query: { limit: 1 } });
};
