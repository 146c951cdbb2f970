import { layOut, NODE_SIZE, type OutputsOf } from '../../parts/graph/graph-layout.ts';
import { type EditedDefinition, isPoint, type Point } from './definition/definition-edits.ts';

/** A layout of more nodes takes longer than a frame. */
const MAX_LAID_OUT = 100;

/** From a node to the one behind it, and to the one below it, in pixels. */
const STEP = { x: NODE_SIZE.width + 88, y: NODE_SIZE.height + 32 };

/**
 * Finds a place for each node that has none of its own. Up to 100 nodes are laid out together, as often as their
 * connections change. In a larger graph the places that are known stay, and a new node goes beside its neighbours.
 *
 * @param known - what it returned before
 */
export const findPlaces = (
  definition: EditedDefinition,
  outputsOf: OutputsOf,
  known: ReadonlyMap<string, Point>,
): ReadonlyMap<string, Point> => {
  const { nodes } = definition;
  const isPlaced = ({ id, position }: EditedDefinition['nodes'][number]) =>
    isPoint(position) || known.has(id);
  const missing = nodes.filter((node) => !isPlaced(node));
  if (nodes.length <= MAX_LAID_OUT || missing.length > MAX_LAID_OUT)
    return new Map(layOut(definition, outputsOf).nodes.map(({ node, x, y }) => [node.id, { x, y }]));
  const places = new Map(known);
  const taken = new Map(
    nodes.flatMap(({ id, position }) => {
      const place = isPoint(position) ? position : known.get(id);
      return place === undefined ? [] : [[id, place] as const];
    }),
  );
  for (const { id } of missing) {
    const place = findFree(startOf(id, definition, taken), [...taken.values()]);
    places.set(id, place);
    taken.set(id, place);
  }
  return places;
};

/** Behind the node that leads to it, or else below all. */
const startOf = (
  id: string,
  { connections = [] }: EditedDefinition,
  taken: ReadonlyMap<string, Point>,
): Point => {
  const before = connections.find(
    ({ sourceNodeId, targetNodeId }) => targetNodeId === id && taken.has(sourceNodeId),
  );
  const source = before === undefined ? undefined : taken.get(before.sourceNodeId);
  if (source !== undefined) return { x: source.x + STEP.x, y: source.y };
  let [left, bottom] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { x, y } of taken.values()) [left, bottom] = [Math.min(left, x), Math.max(bottom, y)];
  return taken.size === 0 ? { x: 0, y: 0 } : { x: left, y: bottom + STEP.y };
};

/** The first place from there downwards where no other node is. */
const findFree = ({ x, y: top }: Point, taken: readonly Point[]): Point => {
  const { width, height } = NODE_SIZE;
  const column = taken
    .filter((other) => Math.abs(other.x - x) < width && other.y > top - height)
    .toSorted((one, other) => one.y - other.y);
  let y = top;
  for (const other of column) if (other.y < y + height) y = Math.max(y, other.y + STEP.y);
  return { x, y };
};
