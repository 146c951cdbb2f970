import { createHash } from 'node:crypto';
import {
  type Clock,
  createRandom,
  type JsonObject,
  NodeError,
  type StateOperation,
} from '@hookloom/plugin-kit';
import type { OpenState } from '../engine/session.ts';
import { workThrough } from '../shared/work-through.ts';
import { changeEntry, expiryOf, needsValue, type StateChange } from './change-entry.ts';
import { checkOperation, MAX_TTL_SECONDS } from './check-operation.ts';
import type { LargeValues } from './large-values.ts';
import { liveOf, showEntry } from './show-entry.ts';
import type { StateContent, StateEntry, StateStore } from './state-store.ts';
import { writeEntry } from './write-entry.ts';

interface StateExecution {
  readonly executionId: string;
  readonly workflowId: string;
  readonly retryOf: { readonly executionId: string } | null;
}

export type StateFor = (execution: StateExecution) => OpenState;

interface StateParts {
  readonly store: StateStore;
  readonly values: LargeValues;
  readonly clock: Clock;
  /** Whether nodes are only tried: they use scopes of their own, whose entries live for a day at most. */
  readonly isTrial?: boolean;
}

const TRIAL_TTL_SECONDS = 86_400;

const AT_ONCE = 16;

/** How often a write that others overtake is tried: several seconds. */
const MAX_TRIES = 40;
const MAX_DELAY_MS = 250;

/**
 * Creates the state service of executions. Each write names the node run that makes it. The entry keeps the last write with
 * its result, and before another write replaces it, that is kept in an item of its own: a repeated write finds either. The
 * order of reads matters, first the entry, then what is kept: if the write was made before the first read, one of them has
 * it; if it is made later, the version has changed and the conditional write is refused.
 */
export const createStateFor =
  ({ store, values, clock, isTrial = false }: StateParts): StateFor =>
  ({ executionId: ownId, workflowId, retryOf }) =>
  (nodeKey, signal, executionId = ownId) => {
    let calls = 0;

    const scopeOf = (name: string | undefined): string => {
      const scope = name === undefined ? `workflow:${workflowId}` : `store:${name}`;
      return isTrial ? `trial:${scope}` : scope;
    };

    const limitTtl = (ttlSeconds: number | undefined): number | undefined =>
      isTrial ? Math.min(ttlSeconds ?? MAX_TTL_SECONDS, TRIAL_TTL_SECONDS) : ttlSeconds;

    /** Waits, a little longer each time, differently in each process. @throws NodeError `StateBusy` */
    const waitForOthers = async (key: string, tries: number): Promise<void> => {
      if (tries >= MAX_TRIES)
        throw new NodeError('Parameter "key" names an entry that others keep changing at the same time', {
          name: 'StateBusy',
          details: { key },
        });
      const random = createRandom(`${executionId}/${nodeKey}/${tries}`)();
      await clock.sleep(random * Math.min(2 ** tries * 5, MAX_DELAY_MS), signal);
    };

    /** Makes a change of what is stored, again whenever another write was faster. */
    const rewrite = async <Result>(
      scope: string,
      key: string,
      decide: (found: StateEntry | null) => Decision<Result> | Promise<Decision<Result>>,
    ): Promise<Result> => {
      for (let tries = 1; ; tries++) {
        const found = await store.find(scope, key);
        const { result, written } = await decide(found);
        if (written === undefined) return result;
        const entry = { scope, key, ...written, writtenBy: { executionId, caller: null } };
        if ((await writeEntry(store, found, entry, signal)) !== null) return result;
        await waitForOthers(key, tries);
      }
    };

    const change = (scope: string, given: StateChange, id: string): Promise<JsonObject> => {
      const { key } = given;
      let saved: { readonly given: StateContent; readonly content: StateContent } | null = null;
      return rewrite(scope, key, async (found) => {
        const known = await findEffect(store, found, id);
        if (known !== null) return { result: known };
        const now = clock.now();
        const version = (found?.version ?? 0) + 1;
        const live = liveOf(found, now);
        const before = needsValue(given) ? await values.load(live) : live;
        const { content, expiresAt, result } = changeEntry(before, given, version, now);
        if (content === null) return { result };
        // The value of a put is the same at each try, and stored once.
        if (saved === null || !isSameValue(saved.given, content)) {
          signal.throwIfAborted();
          saved = { given: content, content: await values.save({ scope, key }, content, now) };
        }
        const effect = { id, result, at: now };
        return { result, written: { content: saved.content, expiresAt, writtenAt: now, effect } };
      });
    };

    const read = async (scope: string, key: string): Promise<JsonObject> => {
      const entry = await values.load(liveOf(await store.find(scope, key), clock.now()));
      if (entry === null) return { found: false, value: null, version: 0 };
      return { found: true, ...showEntry(entry) };
    };

    const claim = (
      scope: string,
      key: string,
      { ttlSeconds, confirmWithinSeconds }: Extract<StateOperation, { operation: 'claim' }>,
      { owner, earlierOwner }: { readonly owner: string; readonly earlierOwner: string | null },
    ): Promise<boolean> =>
      rewrite<boolean>(scope, key, (found) => {
        const now = clock.now();
        const known = readClaim(found, now, ': use other keys to see what is new');
        if (known !== null) {
          const isMine = known.owner === owner;
          if (isMine && known.confirmBy === null) return { result: true };
          // A repeated node run gets its claim for the whole time again: the branch begins now.
          const isOpen = isMine || known.owner === earlierOwner || (known.confirmBy ?? Infinity) <= now;
          if (!isOpen) return { result: false };
        }
        const confirmBy = expiryOf(confirmWithinSeconds, now);
        const content: StateContent = { kind: 'claim', owner, executionId, confirmBy };
        const expiresAt = expiryOf(ttlSeconds, now);
        return { result: true, written: { content, expiresAt, writtenAt: now, effect: null } };
      });

    const confirm = (scope: string, key: string, ttlSeconds: number | undefined, owner: string) =>
      rewrite<void>(scope, key, (found) => {
        const now = clock.now();
        const known = readClaim(found, now, ', not a claim');
        if (known?.confirmBy === null) return { result: undefined };
        const content: StateContent = { kind: 'claim', owner, executionId, ...known, confirmBy: null };
        const expiresAt = expiryOf(ttlSeconds, now);
        return { result: undefined, written: { content, expiresAt, writtenAt: now, effect: null } };
      });

    const forEachKey = (keys: Iterable<string>, work: (key: string) => Promise<void>) =>
      workThrough(keys, { atOnce: AT_ONCE, mayGoOn: () => !signal.aborted }, work);

    return {
      run: async ({ store: name, ...operation }) => {
        checkOperation({ ...operation, store: name });
        signal.throwIfAborted();
        const scope = scopeOf(name);
        calls += 1;
        const idOf = (execution: string) => hashPlace(`${execution}/${nodeKey}/${calls}`);
        const id = idOf(executionId);
        switch (operation.operation) {
          case 'get':
            return read(scope, operation.key);
          case 'list':
            return listEntries(store, scope, operation, clock.now());
          case 'claim': {
            const owners = {
              owner: id,
              earlierOwner: retryOf === null ? null : idOf(retryOf.executionId),
            };
            const limited = { ...operation, ttlSeconds: limitTtl(operation.ttlSeconds) };
            const mine = new Set<string>();
            await forEachKey(new Set(operation.keys), async (key) => {
              if (await claim(scope, key, limited, owners)) mine.add(key);
            });
            signal.throwIfAborted();
            // Of a key that is there twice, only the first is claimed.
            return { claimed: operation.keys.map((key) => mine.delete(key)) };
          }
          case 'confirm': {
            const keys = new Set(operation.keys);
            await forEachKey(keys, (key) => confirm(scope, key, limitTtl(operation.ttlSeconds), id));
            signal.throwIfAborted();
            return { confirmed: keys.size };
          }
          case 'delete':
            return change(scope, operation, id);
          default:
            return change(scope, { ...operation, ttlSeconds: limitTtl(operation.ttlSeconds) }, id);
        }
      },
    };
  };

/** What is to be written in place of an entry, nothing if absent, and what that results in. */
interface Decision<Result> {
  readonly result: Result;
  readonly written?: Pick<StateEntry, 'content' | 'expiresAt' | 'writtenAt' | 'effect'>;
}

/**
 * The claim of a key; null if there is none.
 * @param advice - ends the message for a value
 * @throws NodeError `StateTypeMismatch` if the key has a value
 */
const readClaim = (found: StateEntry | null, now: number, advice: string) => {
  const entry = liveOf(found, now);
  if (entry === null || entry.content.kind === 'deleted') return null;
  if (entry.content.kind === 'claim') return entry.content;
  throw new NodeError(`Parameter "key" names an entry that has a value${advice}`, {
    name: 'StateTypeMismatch',
    isRetryable: false,
    details: { key: entry.key },
  });
};

const isSameValue = (one: StateContent, other: StateContent): boolean =>
  one.kind === 'value' && other.kind === 'value' && one.value === other.value;

const hashPlace = (text: string): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, 22);

/** The result of a write that was made before; null if it was not. */
const findEffect = async (
  store: StateStore,
  found: StateEntry | null,
  id: string,
): Promise<JsonObject | null> => {
  if (found === null) return null;
  if (found.effect?.id === id) return found.effect.result;
  return (await store.findEffect(id))?.result ?? null;
};

const listEntries = async (
  store: StateStore,
  scope: string,
  { prefix, after, limit }: Extract<StateOperation, { operation: 'list' }>,
  now: number,
): Promise<JsonObject> => {
  const entries: JsonObject[] = [];
  const page = await store.list(scope, { prefix: prefix ?? '', after: after ?? null, limit });
  for (const entry of page.entries)
    if (liveOf(entry, now) !== null) entries.push({ key: entry.key, ...showEntry(entry) });
  return { entries, next: page.next };
};
