import { randomIds, systemClock } from '../../adapters/runtime/system-clock.ts';
import type { InstalledPlugins } from '../../plugins/installed-plugin.ts';
import type { Config } from '../config.ts';
import { lateSettings, openConfig } from './parts.ts';
import { lateState, openRunParts } from './runs.ts';

/** Opens the parts of trials, which publish and report nothing. */
export const openTrials = (installed: InstalledPlugins, config: Config = openConfig()) => {
  const parts = openRunParts(installed, config);
  return {
    ...parts,
    stateFor: lateState(parts, true),
    readVariables: lateSettings(config, parts).readVariables,
    stage: config.stage,
    maxInputDepth: config.maxBodyDepth,
    clock: systemClock,
    ids: randomIds,
  };
};
