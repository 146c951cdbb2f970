import type { CredentialType } from '@hookloom/plugin-kit';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import type { PluginEntry } from '../lib/plugins/plugin.ts';
import { CommandError } from './command-error.ts';
import type { Io } from './io.ts';
import type { Target } from './target.ts';

/** What each group of commands depends on. */
export interface CommandContext {
  readonly io: Io;
  /** Loads the node types on demand, so that other commands start faster. */
  readonly loadNodeTypes: () => Promise<FindNodeType>;
  readonly loadPlugins: () => Promise<readonly PluginEntry[]>;
  /** Loads the outbound credential types, by id. */
  readonly loadCredentialTypes: () => Promise<ReadonlyMap<string, CredentialType>>;
  /** Connects to the target named on the command line and closes the connection after the action. */
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
 * @throws CommandError
 */
export const refuseUnknownWorkflow = async (id: string | null, { target }: TargetContext): Promise<void> => {
  if (id !== null && !(await target.hasWorkflow(id))) throw new CommandError(`There is no workflow ${id}.`);
};
