import { lazy } from '@hookloom/plugin-kit';
import type { ToTrials } from './run-trial.ts';
import { createValidateDraft, type ToValidator } from './validate-draft.ts';

let validate = createValidateDraft({ declared: [], names: [], variables: null });

/** The engine and the nodes: no worker that checks needs them. */
const loadTrials = lazy(async () => (await import('./run-trial.ts')).createRunTrial());

addEventListener('message', async ({ data }: MessageEvent<ToValidator | ToTrials>) => {
  if ('known' in data) validate = createValidateDraft(data.known);
  else if ('definition' in data) postMessage(await validate(data.definition));
  else if ('load' in data) postMessage(await loadTrials().then(() => null));
  else postMessage(await (await loadTrials())(data.trial).catch(() => null));
});
