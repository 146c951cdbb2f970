import type { compareDefinitions } from '../../lib/workflows/definition/compare-definitions.ts';

type Difference = ReturnType<typeof compareDefinitions>;

/** The difference of two versions, as the admin API answers it. */
export interface VersionDifference extends Difference {
  readonly id: string;
  readonly from: number;
  readonly to: number;
}

/** A longer value is shown by the part that differs, which is cut on a terminal. */
const MAX_VALUE_LENGTH = 60;
/** How many equal characters are shown before and after the part that differs. */
const CONTEXT_LENGTH = 15;

/**
 * The difference of two versions in lines: `+` was added, `-` was removed, `~` was changed.
 *
 * @param columns - the width of the terminal; null for a file or a pipe, where nothing that differs is cut
 */
export const describeDifference = (
  { id, from, to, ...difference }: VersionDifference,
  columns: number | null,
): readonly string[] => {
  const lines = describeChanges(difference, columns);
  return [`${id}: version ${from} to ${to}${lines.length === 0 ? ': no difference' : ''}`, ...lines];
};

/** The lines alone, indented; none if nothing differs. */
export const describeChanges = (
  { nodes, connections, workflow }: Difference,
  columns: number | null,
): readonly string[] => [
  ...workflow.map((change) => describeChange(change, columns)),
  ...nodes.added.map(({ id, type }) => `  + node ${id} (${type})`),
  ...nodes.removed.map(({ id, type }) => `  - node ${id} (${type})`),
  ...nodes.changed.flatMap(({ id, changes }) =>
    changes.map((change) => describeChange(change, columns, `node ${id} `)),
  ),
  ...connections.added.map((connection) => `  + ${describeConnection(connection)}`),
  ...connections.removed.map((connection) => `  - ${describeConnection(connection)}`),
];

const describeChange = (
  change: Difference['workflow'][number],
  columns: number | null,
  place = '',
): string => {
  const sign = !('from' in change) ? '+' : !('to' in change) ? '-' : '~';
  const [from, to] = [change.from, change.to].map((value) =>
    value === undefined ? null : JSON.stringify(value),
  );
  const shown = from == null || to == null ? [from ?? to ?? ''] : toDifferingParts(from, to);
  const longest = columns === null ? Number.POSITIVE_INFINITY : MAX_VALUE_LENGTH;
  const values = shown.map((text) => (text.length <= longest ? text : `${text.slice(0, longest - 1)}…`));
  return `  ${sign} ${place}${change.path}: ${values.join(' → ')}`;
};

/** Of two texts that differ, the parts that do, unless both are short: `…"paid": 1…` and `…"paid": 2…`. */
const toDifferingParts = (from: string, to: string): readonly string[] => {
  if (Math.max(from.length, to.length) <= MAX_VALUE_LENGTH) return [from, to];
  const [ours, others] = [[...from], [...to]]; // of whole characters
  const shorter = Math.min(ours.length, others.length);
  let start = 0;
  while (start < shorter && ours[start] === others[start]) start += 1;
  let end = 0;
  while (end < shorter - start && ours.at(-1 - end) === others.at(-1 - end)) end += 1;
  const first = Math.max(0, start - CONTEXT_LENGTH);
  const omitted = Math.max(0, end - CONTEXT_LENGTH);
  return [ours, others].map((text) => {
    const part = text.slice(first, text.length - omitted).join('');
    return `${first === 0 ? '' : '…'}${part}${omitted === 0 ? '' : '…'}`;
  });
};

const describeConnection = ({
  sourceNodeId,
  sourceOutput = 'main',
  targetNodeId,
  targetInput = 'main',
}: Difference['connections']['added'][number]): string => {
  const output = sourceOutput === 'main' ? '' : `.${sourceOutput}`;
  const input = targetInput === 'main' ? '' : `.${targetInput}`;
  return `connection ${sourceNodeId}${output} → ${targetNodeId}${input}`;
};
