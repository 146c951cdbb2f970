import { createStateStore } from '../../adapters/dynamodb/state-store.ts';
import type { StageTables } from '../../adapters/dynamodb/table-names.ts';
import { randomIds, systemClock } from '../../adapters/runtime/system-clock.ts';
import type { DuePoll } from '../../triggers/start-by-event.ts';
import type { Config } from '../config.ts';
import { type PollParts, runPoll } from '../triggers/run-poll.ts';
import { openDispatcher, openRecalledWorkflows, openStores } from './parts.ts';

type Opened = 'findWorkflow' | 'state' | 'dispatcher' | 'maxInputDepth' | 'clock' | 'ids';
type RunParts = Omit<PollParts, Opened> & Pick<StageTables, 'client'>;

/** Opens what polls for triggers, with the services of runs. */
export const openPoll = (config: Config, runs: RunParts) => {
  const { client, tables, workflows } = openStores(config, runs.client);
  const parts = {
    ...runs,
    findWorkflow: openRecalledWorkflows(config, { client, tables, workflows }).find,
    state: createStateStore(client, tables),
    dispatcher: openDispatcher(config),
    maxInputDepth: config.maxBodyDepth,
    clock: systemClock,
    ids: randomIds,
  };
  return (due: DuePoll, requestId: string) => runPoll(due, requestId, parts);
};
