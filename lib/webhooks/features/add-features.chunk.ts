import type { JsonObject } from '@hookloom/plugin-kit';
import { WEBHOOK_TRIGGER } from '../../workflows/definition/to-path-configs.ts';
import { features } from './features.ts';

/**
 * Completes the description of the webhook trigger with the schemas of its features, which it declares only by name,
 * since every webhook's bundle contains it. Other node types, and a trigger without a schema, are unchanged.
 */
export const addFeatures = <Type extends { readonly nodeType: string; readonly schema?: JsonObject }>(
  type: Type,
): Type => {
  const { nodeType, schema } = type;
  if (nodeType !== WEBHOOK_TRIGGER || schema === undefined) return type;
  const declared = schema.properties as { readonly [name: string]: JsonObject };
  const added = features.map(({ name, schema }) => [
    name,
    { title: declared[name]?.title ?? name, ...schema },
  ]);
  return { ...type, schema: { ...schema, properties: { ...declared, ...Object.fromEntries(added) } } };
};
