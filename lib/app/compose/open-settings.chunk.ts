import { createSettingsReader } from '../../adapters/dynamodb/settings-store.ts';
import type { StageTables } from '../../adapters/dynamodb/table-names.ts';
import { systemClock } from '../../adapters/runtime/system-clock.ts';
import { createAssertEnabled } from '../../plugins/disabled-plugins.ts';
import { rememberSetting } from '../../shared/settings/settings.ts';
import { toValues } from '../../shared/settings/variables.ts';
import type { Config } from '../config.ts';

/** What runs read of the settings of the stage. */
export const openSettings = ({ workflowCacheMs: ttlMs }: Config, { client, tables }: StageTables) => {
  const settings = createSettingsReader(client, tables);
  const timing = { ttlMs, clock: systemClock, random: Math.random };
  const recall = rememberSetting(settings, 'variables', timing);
  return {
    readVariables: async () => toValues((await settings.find('variables')).content),
    recallVariables: async () => toValues(await recall()),
    assertEnabled: createAssertEnabled(settings, timing),
  };
};
