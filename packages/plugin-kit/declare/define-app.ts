import type { TObject, TProperties } from 'typebox';
import type { JsonObject } from '../contract/json.ts';
import type { NodeContext } from '../contract/node.ts';
import type { PluginHandle } from '../contract/plugin.ts';
import { type CredentialNeeds, defineAction, type OptionsOf } from './define-node-type.ts';
import { Type, type ValueOf } from './type.ts';

type Values<Properties extends TProperties> = ValueOf<TObject<Properties>>;

/** What the operations of an app have in common. */
interface App<Before extends TProperties, After extends TProperties, Request> {
  readonly credentials: CredentialNeeds;
  /** Parameters of every operation, by name, which come before its own. */
  readonly before: Before;
  /** What finds options for parameters, by name: those that an operation has. */
  readonly options?: NonNullable<PluginHandle['options']>;
  /** Parameters of every operation, by name, which come after its own. */
  readonly after: After;
  /** Sends what an operation asks for. @returns the answer's body */
  send(request: Request, shared: Values<Before> & Values<After>, context: NodeContext): Promise<JsonObject>;
}

/** How an operation makes its output: with one request, or with code of its own, which gets the shared parameters, too. */
type Work<Own, Shared, Request> =
  | { request(parameters: Own): Request; output(answer: JsonObject, parameters: Own): JsonObject }
  | { execute(parameters: Own & Shared, context: NodeContext): Promise<JsonObject> };

type Operation<Own extends TProperties, Shared, Request> = {
  readonly parameters: Own;
  /** Keywords of the schema of all parameters, such as `allOf`. */
  readonly rules?: object;
} & Pick<PluginHandle, 'id' | 'name' | 'description' | 'example' | 'outputs'> &
  Work<Values<Own>, Shared, Request>;

/**
 * Declares an app: an API whose operations are node types that share a credential, parameters, and a way to send requests.
 * @returns a function that declares one operation
 */
export const defineApp =
  <Before extends TProperties, After extends TProperties, Request>(app: App<Before, After, Request>) =>
  <Own extends TProperties>({
    parameters,
    rules = {},
    ...operation
  }: Operation<Own, Values<Before> & Values<After>, Request>): PluginHandle => {
    const { credentials, before, after, send, options = {} } = app;
    const all = { ...before, ...parameters, ...after };
    const { id, name, description, example, outputs } = operation;
    return defineAction({
      id,
      name,
      description,
      ...(example && { example }),
      ...(outputs && { outputs }),
      credentials,
      options: Object.fromEntries(
        Object.entries(options).filter(([name]) => Object.hasOwn(all, name)),
      ) as OptionsOf<TObject<Before & Own & After>>,
      parameters: Type.Object(all, { ...rules }),
      execute: async (call) => {
        const given = call.parameters as Values<Before> & Values<Own> & Values<After>;
        if ('execute' in operation) return operation.execute(given, call.context);
        const entries = Object.entries(call.parameters as JsonObject).filter(([name]) =>
          Object.hasOwn(parameters, name),
        );
        const own = Object.fromEntries(entries) as Values<Own>;
        return operation.output(await send(operation.request(own), given, call.context), own);
      },
    });
  };
