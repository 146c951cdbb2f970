import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { features } from '../../../lib/webhooks/features/features.ts';
import { createOpenFeatures } from '../../../lib/webhooks/features/open-features.ts';
import { webhookTrigger } from '../../../nodes/webhook/webhook-trigger.ts';
import { checkWebhookRules } from '../../../packages/authoring/validation/check-webhooks.ts';
import { aPathConfig, aWorkflowListening } from '../../support/a-workflow-listening.ts';
import { featurePorts } from '../../support/feature-ports.ts';
import { anOutboundService, aServer } from '../../support/outbound-credentials.ts';

const openFeatures = createOpenFeatures(
  featurePorts({ http: aServer(), credentials: anOutboundService().credentials }),
);

/** What a feature needs beside it. */
const needs: Readonly<Record<string, JsonObject>> = {
  form: {
    methods: ['GET', 'POST'],
    schema: { type: 'object', properties: { name: { type: 'string' } } },
  },
  onKeyReuse: { deduplication: 'body.id' },
};

const open = (features: Readonly<Record<string, JsonValue>>) => {
  const config = aPathConfig({ features });
  return openFeatures({ workflow: aWorkflowListening([config]), config });
};

describe.each(features)('the feature $name', ({ name, schema: { description, examples } }) => {
  test('is a parameter of the trigger, and described', () => {
    expect(webhookTrigger.schema.properties).toHaveProperty(name);
    expect(description).toEqual(expect.stringMatching(/^.{20,}$/));
  });

  test.each((examples as JsonValue[]).map((example) => [example]))(
    'accepts its example %j',
    async (value) => {
      const nodes = [{ id: 'start', type: 'webhookTrigger', parameters: { ...needs[name], [name]: value } }];
      const problems = await checkWebhookRules({ id: 'x', name: 'x', enabled: true, nodes, connections: [] });
      expect(problems).toEqual([]);
      expect(await open({ [name]: value })).toMatchObject({ admit: expect.any(Function) });
    },
  );
});

test.each([
  ['a feature that this version does not know', { mindReading: true }],
  ['a rule that cannot be read', { allowFrom: ['nowhere/99'] }],
])('%s lets no request through', async (_case, features) => {
  await expect(open(features as never)).rejects.toMatchObject({ code: 'WEBHOOK_MISCONFIGURED', status: 503 });
});
