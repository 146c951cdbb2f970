import type { JsonObject, JsonValue } from './json.ts';

interface OnKey {
  /** 1 to 1,024 bytes. */
  readonly key: string;
}

interface Expiring {
  /** How long an entry is kept, from 1 second to ten years; for ever by default. */
  readonly ttlSeconds?: number | undefined;
}

interface Conditional {
  /** The version that the entry must have; 0 if it must not exist. */
  readonly ifVersion?: number | undefined;
}

/** One operation on state, with the result of each. */
export type StateOperation =
  /** `{ found, value, version }`; version 0 and a null value if there is no entry. */
  | ({ readonly operation: 'get' } & OnKey)
  /** `{ version }`. */
  | ({ readonly operation: 'put'; readonly value: JsonValue } & OnKey & Expiring & Conditional)
  /** `{ deleted }`: whether there was an entry. */
  | ({ readonly operation: 'delete' } & OnKey & Conditional)
  /** `{ value, version }`. Starts at 0; `ttlSeconds` counts from the first increment. */
  | ({ readonly operation: 'increment'; readonly by: number } & OnKey & Expiring)
  /** `{ length, version }`. Of a list, the last `maxItems` are kept; `ttlSeconds` counts from the first item. */
  | ({ readonly operation: 'append'; readonly value: JsonValue; readonly maxItems: number } & OnKey &
      Expiring)
  /**
   * `{ claimed }`: for each key, whether this node run claims it. Another one can't, until the claim expires. If
   * `confirmWithinSeconds` is given, it also can once these are over without a `confirm`.
   */
  | ({
      readonly operation: 'claim';
      /** At most 1,000. */
      readonly keys: readonly string[];
      readonly confirmWithinSeconds?: number | undefined;
    } & Expiring)
  /** `{ confirmed }`: how many keys are claimed for good. */
  | ({ readonly operation: 'confirm'; readonly keys: readonly string[] } & Expiring)
  /** `{ entries, next }`: entries with `key`, `value` and `version`, by key; `next` is null after the last. */
  | {
      readonly operation: 'list';
      readonly prefix?: string | undefined;
      readonly after?: string | undefined;
      /** At most 1,000. */
      readonly limit: number;
    };

/** What workflows remember between executions. Each write has an effect once, even if its node runs again after a crash. */
export interface State {
  /**
   * Makes one operation. A node that makes several must make the same ones in the same order in every attempt.
   * @param operation - `store` names a store that workflows share; by default it is the workflow's own
   * @returns the result: see {@link StateOperation}
   * @throws NodeError `StateInvalid` | `StateVersionMismatch` | `StateTypeMismatch` | `StateTooLarge` | `StateBusy`
   * @throws AppError `STORE_UNAVAILABLE`
   */
  run(operation: StateOperation & { readonly store?: string | undefined }): Promise<JsonObject>;
}
