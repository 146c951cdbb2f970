import { readChange } from '../../adapters/dynamodb/statistics/read-change.ts';
import { createStatisticsStore } from '../../adapters/dynamodb/statistics/statistics-store.ts';
import { systemClock } from '../../adapters/runtime/system-clock.ts';
import type { Config } from '../config.ts';
import { openConfig, openLogger, openStores } from './parts.ts';

export const openStatistics = (config: Config = openConfig()) => {
  const { client, tables } = openStores(config);
  return {
    statistics: createStatisticsStore(client, tables, systemClock),
    logger: openLogger(config),
    clock: systemClock,
  };
};

export const openAggregate = (config: Config = openConfig()) => ({ ...openStatistics(config), readChange });
