import { createValidateDraft, type ToValidator } from './validate-draft.ts';

let validate = createValidateDraft({ declared: [], names: [], variables: null });

addEventListener('message', async ({ data }: MessageEvent<ToValidator>) => {
  if ('known' in data) validate = createValidateDraft(data.known);
  else postMessage(await validate(data.definition));
});
