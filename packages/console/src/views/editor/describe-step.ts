import { type EditedConnection, type EditedDefinition, idsOf } from './definition/definition-edits.ts';
import type { History } from './draft.ts';

/**
 * Says what a step did to the graph, for screen readers. What is typed into a field is heard there.
 *
 * @returns an empty text if there is nothing to say
 */
export const describeStep = (last: History, history: History): string => {
  const before = last.present.definition;
  const after = history.present.definition;
  const changes = describeChanges(before, after);
  const left = `${history.past.length} more to undo`;
  if (history.future[0] === last.present)
    return sentences(['Undone', ...(changes.length === 0 ? findChanged(before, after) : changes), left]);
  if (last.future[0] === history.present)
    return sentences(['Redone', ...(changes.length === 0 ? findChanged(before, after) : changes), left]);
  return sentences(changes);
};

const sentences = (texts: readonly string[]): string => texts.map((text) => `${text}.`).join(' ');

/** More are counted. */
const MAX_NAMED = 3;

const listNames = (what: string, names: readonly string[], noun: string): readonly string[] =>
  names.length === 0
    ? []
    : [`${what}: ${names.length > MAX_NAMED ? `${names.length} ${noun}` : names.join(', ')}`];

const describeChanges = (before: EditedDefinition, after: EditedDefinition): readonly string[] => {
  const [old, now] = [idsOf(before), idsOf(after)];
  const added = [...now].filter((id) => !old.has(id));
  const removed = [...old].filter((id) => !now.has(id));
  if (added.length === 1 && removed.length === 1 && old.size === now.size)
    return [`Renamed: ${removed[0]} to ${added[0]}`];
  const [oldLines, lines] = [linesOf(before), linesOf(after)];
  const connected = [...lines.keys()].filter((line) => !oldLines.has(line));
  // A removed node takes its connections with it.
  const cut = [...oldLines]
    .filter(([line, each]) => !lines.has(line) && now.has(each.sourceNodeId) && now.has(each.targetNodeId))
    .map(([line]) => line);
  return [
    ...listNames('Added', added, 'nodes'),
    ...listNames('Removed', removed, 'nodes'),
    ...listNames('Connected', connected, 'connections'),
    ...listNames('Disconnected', cut, 'connections'),
  ];
};

const linesOf = ({ connections = [] }: EditedDefinition): ReadonlyMap<string, EditedConnection> =>
  new Map(
    connections.map((each) => {
      const { sourceNodeId, sourceOutput = 'main', targetNodeId } = each;
      return [
        `${sourceNodeId} to ${targetNodeId}${sourceOutput === 'main' ? '' : ` on ${sourceOutput}`}`,
        each,
      ];
    }),
  );

const findChanged = (before: EditedDefinition, after: EditedDefinition): readonly string[] => {
  const old = new Set(before.nodes);
  const changed = after.nodes.filter((node) => !old.has(node)).map(({ id }) => id);
  return changed.length === 0 ? ['Changed: the workflow'] : listNames('Changed', changed, 'nodes');
};
