import type { JsonObject } from '@hookloom/plugin-kit';
import { expect, test } from '@jest/globals';
import { adaptUnified } from '../../../lib/plugins/adapt-provider.ts';
import plugin from '../../../nodes/llm/llm.plugin.ts';
import { checkCredentials } from '../../../packages/authoring/stage/find-store-problems.ts';

const [nodeType] = adaptUnified(plugin).nodeTypes;
const findNodeType = () => nodeType ?? null;

/** Why `workflow put` refuses a node whose credential is of a type. */
const refusalOf = async (provider: string, type: string): Promise<string | undefined> => {
  const node = { id: 'ask', type: 'llm', parameters: { provider }, credentialId: 'key' };
  const known = { findType: async () => type, listIds: async () => ['key'] };
  const [problem] = await checkCredentials({ nodes: [node] }, findNodeType, known);
  return problem?.message;
};

test.each([
  ['openai', 'httpBearer'],
  ['openai', 'oauth2'],
  ['anthropic', 'httpHeader'],
  ['bedrock', 'awsRole'],
  ['{{ provider }}', 'awsRole'],
  ['{{ provider }}', 'httpBearer'],
])('%s accepts a credential of the type %s', async (provider, type) => {
  expect(await refusalOf(provider, type)).toBeUndefined();
});

test.each([
  ['openai', 'awsRole', 'httpBearer, httpHeader, oauth2'],
  ['anthropic', 'awsRole', 'httpBearer, httpHeader, oauth2'],
  ['bedrock', 'httpBearer', 'awsRole'],
  ['{{ provider }}', 'smtp', 'httpBearer, httpHeader, oauth2, awsRole'],
])('%s accepts no credential of the type %s', async (provider, type, taken) => {
  expect(await refusalOf(provider, type)).toBe(
    `the credential "key" has the type ${type}, but the node accepts ${taken}`,
  );
});

const prompt = '{{ body }}';

test.each<[JsonObject, readonly string[]]>([
  [{ prompt }, []],
  [{ messages: '{{ body.messages }}' }, []],
  [{ prompt, schema: '{{ schema }}' }, []],
  [{ prompt, schema: { type: 'object' } }, []],
  [{}, ['/prompt']],
  [{ prompt, messages: [] }, ['/messages']],
  [{ messages: [{ role: 'assistant', content: 'a' }] }, ['/messages']],
  [{ prompt, schema: { type: 'array' } }, ['/schema']],
  [{ prompt, schema: { $ref: '#/$defs/a' } }, ['/schema']],
])('problems of %j are found when the workflow is stored: %j', async (parameters, paths) => {
  const problems = (await nodeType?.checkParameters?.(parameters)) ?? [];
  expect(problems.map(({ path }) => path)).toEqual(paths);
});

test('a workflow declares its call to Bedrock', () => {
  const call = { service: 'bedrock-runtime', operation: 'Converse', input: { modelId: 'm' } };
  expect(nodeType?.awsCalls?.({ provider: 'bedrock', model: 'm', region: 'eu-north-1' })).toEqual([
    { ...call, region: 'eu-north-1' },
  ]);
  expect(nodeType?.awsCalls?.({ provider: 'bedrock', model: 'm' })).toEqual([call]);
  expect(nodeType?.awsCalls?.({ provider: 'openai', model: 'm' })).toEqual([]);
});
