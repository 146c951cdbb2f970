import { isPlainObject, type JsonObject, type WorkflowNode } from '@hookloom/plugin-kit';
import { ENTRY_TRIGGER } from '../../workflows/definition/entry-trigger.ts';

/**
 * Refuses an input that the `schema` of a trigger for people and other workflows does not allow.
 * @throws AppError `BODY_SCHEMA_MISMATCH` with places in the input
 */
export const requireDeclaredInput = async (
  { type, parameters: { schema } }: WorkflowNode,
  input: JsonObject,
): Promise<void> => {
  if (type !== ENTRY_TRIGGER || !isPlainObject(schema)) return;
  const { matchSchema } = await import('../../shared/match-schema.chunk.ts');
  matchSchema(schema)(input);
};
