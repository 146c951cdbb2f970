import { createDescribeNode } from './describe-node.ts';
import type { FromValidator, ToValidator } from './messages.ts';
import { createValidateDraft, type KnownTypes } from './validate-draft.ts';

const create = (known: KnownTypes) => ({
  validate: createValidateDraft(known),
  describe: createDescribeNode(known),
});

let { validate, describe } = create({ declared: [], names: [], variables: null });

const answer = (message: FromValidator) => postMessage(message);

addEventListener('message', async ({ data }: MessageEvent<ToValidator>) => {
  if ('known' in data) ({ validate, describe } = create(data.known));
  else if ('nodeId' in data) answer({ ...data, types: await describe(data.definition, data.nodeId) });
  else answer({ findings: await validate(data.definition) });
});
