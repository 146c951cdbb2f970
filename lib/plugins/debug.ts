import { type ListedPlugins, listActions, listTriggers } from './summaries.ts';

/** The runtime environment; an argument, since this folder does not read the process. */
interface RuntimeInfo {
  readonly node: string;
  readonly architecture: string;
  readonly region: string;
  readonly memoryMb: number | null;
}

interface DebugInfo {
  /** Loaded unified providers. */
  readonly providerCount: number;
  /** Trigger and action node types that can be used. */
  readonly triggerCount: number;
  readonly actionCount: number;
  /** ISO 8601, UTC. */
  readonly serverTime: string;
  readonly runtime: RuntimeInfo;
  readonly build: { readonly version: string; readonly stage: string };
  readonly nodeTypes: readonly string[];
  readonly loadErrors: readonly { readonly id: string; readonly error: string }[];
}

export const describeRegistry = (
  registry: ListedPlugins,
  { now, runtime, build }: { readonly now: number } & Pick<DebugInfo, 'runtime' | 'build'>,
): DebugInfo => {
  const triggers = listTriggers(registry).filter(({ loaded }) => loaded);
  const actions = listActions(registry).filter(({ loaded }) => loaded);
  const { plugins } = registry;
  return {
    providerCount: plugins.filter(({ api, status }) => api === 'unified' && status === 'loaded').length,
    triggerCount: triggers.length,
    actionCount: actions.length,
    serverTime: new Date(now).toISOString(),
    runtime,
    build,
    nodeTypes: [...triggers, ...actions].map(({ id }) => id).sort(),
    loadErrors: plugins.flatMap((entry) =>
      entry.status === 'failed' ? [{ id: entry.id, error: entry.error }] : [],
    ),
  };
};
