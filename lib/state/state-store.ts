import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';

/** What a node run did to an entry, by which a repeated write is recognised. */
export interface StateEffect {
  /** The same whenever the node run is repeated. */
  readonly id: string;
  readonly result: JsonObject;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export type StateContent =
  | { readonly kind: 'value'; readonly value: JsonValue }
  /** A value that is too large for the entry's item: see `LargeValues`. */
  | {
      readonly kind: 'large';
      /** Key of the blob. */
      readonly blob: string;
      /** Size as JSON, in bytes. */
      readonly bytes: number;
    }
  | {
      readonly kind: 'claim';
      /** Id of the effect that claims the key. */
      readonly owner: string;
      readonly executionId: string;
      /** From when another may claim it, in milliseconds since the epoch; null for a confirmed claim. */
      readonly confirmBy: number | null;
    }
  /** Kept for a while, so that a repeated deletion is recognised. */
  | { readonly kind: 'deleted' };

/** The writer of an entry: an execution, by one of its nodes, or a caller of the admin API. Both are null if that is not known. */
interface StateWriter {
  readonly executionId: string | null;
  /** ARN. */
  readonly caller: string | null;
}

export interface StateEntry {
  /** What the key belongs to: `workflow:ID`, or `store:NAME`. */
  readonly scope: string;
  readonly key: string;
  /** Counts the writes, from 1. */
  readonly version: number;
  readonly content: StateContent;
  /** Milliseconds since the epoch. */
  readonly writtenAt: number;
  readonly writtenBy: StateWriter;
  /** When it expires, in milliseconds since the epoch; null for never. */
  readonly expiresAt: number | null;
  /** The last write's; null if no node run made it. */
  readonly effect: StateEffect | null;
}

/** The scope of a workflow's own entries. */
export const scopeOfWorkflow = (workflowId: string): string => `workflow:${workflowId}`;

/** How long a write is recognised when it is repeated, in milliseconds: 14 days, longer than any retry takes. */
export const EFFECT_LIFE_MS = 14 * 86_400_000;

interface StatePage {
  /** By key; also expired and deleted entries. */
  readonly entries: readonly StateEntry[];
  /** The key after which the next page begins; null after the last. */
  readonly next: string | null;
}

/** Keeps the entries of state. All methods throw AppError `STORE_UNAVAILABLE`. */
export interface StateStore {
  /** Finds an entry, with all changes, also if it has expired or was deleted. */
  find(scope: string, key: string): Promise<StateEntry | null>;
  /**
   * Writes an entry in place of a version.
   * @param replaces - the stored version; null if there must be no entry
   * @returns false if another version is stored
   */
  put(entry: StateEntry, replaces: number | null): Promise<boolean>;
  /** Finds an effect that {@link keepEffect} keeps. */
  findEffect(id: string): Promise<StateEffect | null>;
  /** Keeps an effect for {@link EFFECT_LIFE_MS}, since its entry is about to be overwritten. */
  keepEffect(effect: StateEffect): Promise<void>;
  /** Reads entries by key, up to 4 MB of values, or `maxBytes` if that is less; large ones do not count. */
  list(
    scope: string,
    range: {
      readonly prefix: string;
      readonly after: string | null;
      readonly limit: number;
      readonly maxBytes?: number;
    },
  ): Promise<StatePage>;
}
