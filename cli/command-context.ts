import type { CredentialType } from '@hookloom/plugin-kit';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import type { PluginEntry } from '../lib/plugins/plugin.ts';
import { CommandError } from './command-error.ts';
import type { Io } from './io.ts';
import type { Target } from './target.ts';

/** What each group of commands is declared with. */
export interface CommandContext {
  readonly io: Io;
  /** Loaded by the commands that need them: the others start faster without. */
  readonly loadNodeTypes: () => Promise<FindNodeType>;
  readonly loadPlugins: () => Promise<readonly PluginEntry[]>;
  /** The types of credentials for calling out, by id. */
  readonly loadCredentialTypes: () => Promise<ReadonlyMap<string, CredentialType>>;
  /** Connects to the target that the command line names, and closes the connection after the action. */
  readonly onTarget: (action: (context: TargetContext) => Promise<void>) => Promise<void>;
}

export interface TargetContext {
  readonly io: Io;
  readonly target: Target;
}

/** Of lists over all workflows. */
export const EARLIER_NOTE =
  'What was stored before the upgrade is in the lists of its workflow: --workflow ID. `hookloom migrate` puts it into this one.';

/**
 * Refuses a workflow that never was, for lists that have found nothing of it: rather than nothing, its name may be wrong.
 *
 * @param id - null for all workflows
 * @throws CommandError
 */
export const refuseUnknownWorkflow = async (id: string | null, { target }: TargetContext): Promise<void> => {
  if (id !== null && !(await target.hasWorkflow(id))) throw new CommandError(`There is no workflow ${id}.`);
};
