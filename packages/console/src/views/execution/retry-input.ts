import { isPlainObject } from '@hookloom/plugin-kit';
import type { Answer } from '../../api/routes.ts';
import type { DrawnWorkflow } from '../../parts/graph/graph-layout.ts';
import { parseJson } from '../../parts/parse-json.ts';
import { hasRun, type NodeRun, rootOf } from './node-runs.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** What the trigger received, as the record shows it; null if it has not, or only its start. */
export const findRecordedInput = (runs: readonly NodeRun[], triggerNodeId: string): JsonObject | null => {
  const run = runs.find(({ nodeId, within }) => nodeId === triggerNodeId && within === undefined);
  const input = run?.input;
  return isPlainObject(input) && !Object.hasOwn(input, '$bytes') ? input : null;
};

/** The fields of an edited input that a retry replaces, or why it can't be sent. */
export type EditedFields =
  | { readonly fields: JsonObject; readonly problem: null }
  | { readonly fields: null; readonly problem: string };

const refuseInput = (problem: string): EditedFields => ({ fields: null, problem });

/**
 * Reads an edited input. Fields that were not touched are left out: what the record has may be shortened.
 *
 * @param original - what the editor began with; null if the record has no input
 */
export const readEditedFields = (text: string, original: JsonObject | null): EditedFields => {
  let edited: unknown;
  try {
    edited = parseJson(text);
  } catch (error) {
    const reason = (error as Error).message;
    return refuseInput(
      error instanceof RangeError ? `The input can't be sent: ${reason}.` : `This is not JSON: ${reason}`,
    );
  }
  if (!isPlainObject(edited)) return refuseInput('The input must be a JSON object.');
  const removed = Object.keys(original ?? {}).find((name) => !Object.hasOwn(edited, name));
  if (removed !== undefined)
    return refuseInput(`"${removed}" can't be removed: fields are replaced, and the others stay.`);
  const fields = Object.entries(edited).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(original?.[name]),
  );
  return { fields: Object.fromEntries(fields), problem: null };
};

/** A node that acts on the outside, and would run in a retry. */
export interface Effect {
  readonly nodeId: string;
  readonly type: string;
  /** How often it has run and would run again; 0 if it would run for the first time. */
  readonly runsAgain: number;
  /** Whether it depends on its parameters if it acts on the outside. */
  readonly isUnsure: boolean;
}

/** What the reference says of a node type; null if it can't be read. */
export interface Purity extends Pick<Answer<'GET /api/admin/node-types/{nodeType}'>, 'kind' | 'pure'> {
  readonly control?: unknown;
}

/** What of an execution runs again. */
export interface RunAgain {
  /** The first node. */
  readonly from?: string;
  /** Only the items of bodies that failed, and what follows them. */
  readonly only?: 'failedItems';
}

/**
 * The nodes that would act on the outside, derived from the definition: those that the first node leads to and that are not
 * pure. Nodes of other workflows are not among them.
 *
 * @param typeOf - the node type of a node
 */
export const deriveEffects = (
  { nodes, connections = [] }: DrawnWorkflow,
  runs: readonly NodeRun[],
  { from, only }: RunAgain,
  typeOf: (type: string) => Purity | null,
): readonly Effect[] => {
  const isOnlyItems = only === 'failedItems';
  const owners = runs.filter((run) => run.failedItems !== undefined).map(rootOf);
  const reached = new Set(isOnlyItems || from === undefined ? owners : [from]);
  for (const id of reached)
    for (const { sourceNodeId, targetNodeId } of connections)
      if (sourceNodeId === id) reached.add(targetNodeId);
  return nodes.flatMap(({ id, type, disabled }) => {
    const known = typeOf(type);
    const isHarmless = known !== null && (known.kind === 'trigger' || known.pure === true || known.control);
    if (!reached.has(id) || disabled === true || isHarmless) return [];
    const runsAgain = runs.filter(
      (run) =>
        run.nodeId === id &&
        run.type === type &&
        hasRun(run) &&
        !(isOnlyItems && run.within !== undefined && run.status === 'succeeded'),
    ).length;
    return [{ nodeId: id, type, runsAgain, isUnsure: known?.pure !== false }];
  });
};
