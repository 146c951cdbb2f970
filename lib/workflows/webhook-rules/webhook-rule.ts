import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { toSchema } from '@hookloom/plugin-kit/host';
import type { Problem } from '../definition/problem.ts';

/** How a feature of a webhook is written in a workflow: a parameter of the trigger, off while it is absent. */
export interface WebhookRule extends Checks {
  /** JSON Schema of the parameter's value. */
  readonly schema: JsonObject;
}

/** What a rule is checked with. */
export interface RuleContext {
  /** All parameters of the trigger. */
  readonly parameters: JsonObject;
  /** Why a value is no JSON Schema; null when it is one. */
  readonly findSchemaError: (
    schema: JsonObject,
  ) => { readonly place: string; readonly message: string } | null;
}

interface Checks {
  /**
   * Problems that the schema does not find, with JSON pointers within the value. Called for values that the schema takes.
   */
  readonly findProblems?: (
    value: JsonValue,
    context: RuleContext,
  ) => readonly Problem[] | Promise<readonly Problem[]>;
  /** JSON pointers within the value, of texts that are expressions without braces, or templates with them. */
  readonly expressions?: readonly string[];
  /** Types of the credential that the value names in `credentialId`. */
  readonly credentialTypes?: readonly string[];
  /** JSON pointers within the value, of parts that may hold templates over the request anywhere. */
  readonly templates?: readonly string[];
}

/** @param declared - a schema of the kit, with a description and an example */
export const defineRule = (declared: object, checks: Checks = {}): WebhookRule => {
  const { additionalProperties = false }: { readonly additionalProperties?: JsonValue } = declared;
  return { schema: { ...toSchema(declared), additionalProperties }, ...checks };
};
