import { NodeError } from '@hookloom/plugin-kit';
import { type DisabledPlugin, rememberSetting, type SettingsReader } from '../shared/settings/settings.ts';
import type { Plugin, PluginEntry } from './plugin.ts';

/** Checks that a plugin is not disabled on this stage. @throws NodeError `PluginDisabled`, which no retry repeats */
export type AssertEnabled = (pluginId: string) => Promise<void>;

/** Reads the setting as {@link rememberSetting} does. @returns a check that throws AppError `STORE_UNAVAILABLE` as well */
export const createAssertEnabled = (
  settings: SettingsReader,
  timing: Parameters<typeof rememberSetting>[2],
): AssertEnabled => {
  const readDisabled = rememberSetting(settings, 'plugins', timing);
  return async (pluginId) => {
    const found = (await readDisabled()).find(({ id }) => id === pluginId);
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
