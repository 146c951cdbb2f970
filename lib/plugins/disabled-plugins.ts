import { NodeError } from '@hookloom/plugin-kit';
import type { DisabledPlugin, SettingsReader } from '../settings/settings.ts';
import { type CacheOptions, createCache } from '../shared/cache.ts';
import { isAppError } from '../shared/errors.ts';
import type { Plugin, PluginEntry } from './plugin.ts';

/** Checks that a plugin is not disabled on this stage. @throws NodeError `PluginDisabled`, which no retry repeats */
export type AssertEnabled = (pluginId: string) => Promise<void>;

/** How long the last known setting is used while its table can't be read. */
const STALE_MS = 300_000;

/**
 * Reads the setting once per `ttlMs` milliseconds and sandbox.
 *
 * @returns a check that throws AppError `STORE_UNAVAILABLE` too, if the setting can't be read
 */
export const createAssertEnabled = (
  settings: SettingsReader,
  timing: Pick<CacheOptions<never>, 'ttlMs' | 'clock' | 'random'>,
): AssertEnabled => {
  const lookUp = createCache<readonly DisabledPlugin[]>({
    ...timing,
    maxEntries: 1,
    stale: {
      maxAgeMs: Math.max(STALE_MS, timing.ttlMs),
      mayPass: (error) => isAppError(error, 'STORE_UNAVAILABLE'),
    },
  });
  return async (pluginId) => {
    const disabled = await lookUp('plugins', async () => (await settings.find('plugins')).content);
    const found = disabled.find(({ id }) => id === pluginId);
    if (found === undefined) return;
    const message = `the plugin "${pluginId}" is ${describeDisabled(found)}`;
    throw new NodeError(message, { name: 'PluginDisabled', isRetryable: false });
  };
};

/** Since when a plugin is disabled, and why; a predicate without its subject. */
export const describeDisabled = ({ disabledAt, message }: DisabledPlugin): string =>
  `disabled on this stage since ${disabledAt}${message === null ? '' : `: ${message}`}`;

/**
 * Whether a plugin can be disabled on a stage: some of its nodes do something that a replay must not repeat, or its
 * credentials are sent. Other nodes only compute, which a replay does again and must find unchanged.
 */
export const canDisable = ({ nodeTypes, credentialTypes }: Plugin): boolean =>
  credentialTypes.length > 0 ||
  nodeTypes.some(({ kind, pure, control }) => kind === 'action' && control === null && pure !== true);

/** Finds the plugin that provides each disabled node type. */
export const findDisabledNodeTypes = (
  disabled: readonly DisabledPlugin[],
  entries: readonly PluginEntry[],
): ReadonlyMap<string, DisabledPlugin> =>
  new Map(
    disabled.flatMap((setting) => {
      const plugin = entries.find(({ id }) => id === setting.id)?.plugin;
      return (plugin?.nodeTypes ?? []).map(({ nodeType }) => [nodeType, setting] as const);
    }),
  );
