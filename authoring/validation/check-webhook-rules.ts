import { features } from '../../lib/webhooks/features/features.ts';
import type { WorkflowDefinition } from '../../lib/workflows/definition/definition.ts';
import type { Problem } from '../../lib/workflows/definition/problem.ts';
import { WEBHOOK_TRIGGER } from '../../lib/workflows/definition/to-path-configs.ts';
import { checkSchema } from '../../lib/workflows/validation/schema/check-schema.ts';
import { findSchemaError } from '../../lib/workflows/validation/schema/find-schema-error.ts';

/** Checks the features of the workflow's webhooks, by their schemas first. */
export const checkWebhookRules = async ({ nodes }: WorkflowDefinition): Promise<Problem[]> => {
  const problems: Problem[] = [];
  for (const [index, { type, parameters }] of nodes.entries()) {
    if (type !== WEBHOOK_TRIGGER) continue;
    for (const { name, schema, check } of features) {
      const value = parameters[name];
      if (value === undefined || value === null) continue;
      const place = `/nodes/${index}/parameters/${name}`;
      const wrong = checkSchema(schema, value, place);
      const others = wrong.length > 0 ? [] : check(value, { parameters, findSchemaError });
      problems.push(...wrong, ...others.map(({ path, message }) => ({ path: `${place}${path}`, message })));
    }
  }
  return problems;
};
