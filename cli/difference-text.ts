import type { compareDefinitions } from '../lib/workflows/definition/compare-definitions.ts';

type Difference = ReturnType<typeof compareDefinitions>;

/** The difference of two versions, as the admin API answers it. */
export interface VersionDifference extends Difference {
  readonly id: string;
  readonly from: number;
  readonly to: number;
}

/** A value is cut in a line; JSON shows it in full. */
const MAX_VALUE_LENGTH = 60;

/** The difference of two versions in lines: `+` was added, `-` was removed, `~` was changed. */
export const describeDifference = ({ id, from, to, ...difference }: VersionDifference): readonly string[] => {
  const lines = describeChanges(difference);
  return [`${id}: version ${from} to ${to}${lines.length === 0 ? ': no difference' : ''}`, ...lines];
};

/** The lines alone, indented; none if nothing differs. */
export const describeChanges = ({ nodes, connections, workflow }: Difference): readonly string[] => [
  ...workflow.map((change) => describeChange(change)),
  ...nodes.added.map(({ id, type }) => `  + node ${id} (${type})`),
  ...nodes.removed.map(({ id, type }) => `  - node ${id} (${type})`),
  ...nodes.changed.flatMap(({ id, changes }) =>
    changes.map((change) => describeChange(change, `node ${id} `)),
  ),
  ...connections.added.map((connection) => `  + ${describeConnection(connection)}`),
  ...connections.removed.map((connection) => `  - ${describeConnection(connection)}`),
];

const describeChange = (change: Difference['workflow'][number], place = ''): string => {
  const sign = !('from' in change) ? '+' : !('to' in change) ? '-' : '~';
  const values = [change.from, change.to].filter((value) => value !== undefined).map(toText);
  return `  ${sign} ${place}${change.path}: ${values.join(' → ')}`;
};

const toText = (value: unknown): string => {
  const text = JSON.stringify(value);
  return text.length <= MAX_VALUE_LENGTH ? text : `${text.slice(0, MAX_VALUE_LENGTH - 1)}…`;
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
