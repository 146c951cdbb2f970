import { type JsonObject, MAIN_OUTPUT } from '@hookloom/plugin-kit';
import { deliveryKeys } from '../../workflows/definition/delivery-keys.ts';
import { WEBHOOK_TRIGGER } from '../../workflows/definition/to-path-configs.ts';
import { describeRequest } from './describe-request.ts';
import { features } from './features.ts';

/** A known sender, or an expression over the request without braces. */
const deduplication = {
  anyOf: [{ enum: Object.keys(deliveryKeys) }, { type: 'string', format: 'jsonata' }],
};

/**
 * Completes the description of the webhook trigger with the schemas of its deduplication, its features, and what it delivers, which it
 * declares only by name, since every webhook's bundle contains it. Other node types, and a trigger without a schema, are unchanged.
 */
export const addFeatures = <
  Type extends {
    readonly nodeType: string;
    readonly schema?: JsonObject;
    readonly outputSchemas?: JsonObject;
  },
>(
  type: Type,
): Type => {
  const { nodeType, schema } = type;
  if (nodeType !== WEBHOOK_TRIGGER || schema === undefined) return type;
  const declared = schema.properties as { readonly [name: string]: JsonObject };
  const added = features.map(({ name, schema }) => [
    name,
    { title: declared[name]?.title ?? name, ...schema },
  ]);
  const { type: _, ...keys } = declared.deduplication ?? {};
  const properties = {
    ...declared,
    deduplication: { ...keys, ...deduplication },
    ...Object.fromEntries(added),
  };
  const outputSchemas = { [MAIN_OUTPUT]: describeRequest({}) };
  return { ...type, schema: { ...schema, properties }, outputSchemas, deliveryDependsOnParameters: true };
};
