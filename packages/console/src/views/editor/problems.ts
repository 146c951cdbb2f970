import type { JsonObject } from '@hookloom/plugin-kit';
import type { Problem as Wrong } from '../../../../../lib/workflows/definition/problem.ts';
import { fromFragment, Problem } from '../../api/api.ts';
import type { ParameterProblem } from '../../parts/schema-form/fields.ts';
import type { Findings } from '../../worker/validate-draft.ts';
import type { EditedDefinition } from './definition/definition-edits.ts';

/** Something that is wrong, or probably wrong, in a definition; `path` is a JSON pointer into it. */
export interface Finding extends Place {
  readonly path: string;
  readonly message: string;
  readonly isWarning: boolean;
  /** The definition that it was found in, which may be an earlier one. */
  readonly definition: EditedDefinition;
  /** What corrects that definition, if it is known exactly. */
  readonly proposal?: Proposal | undefined;
}

type Proposal = NonNullable<Wrong['proposal']>;

interface Place {
  /** Null for what belongs to no node. */
  readonly nodeId: string | null;
  /** The member of the node, such as `parameters`; empty for the node itself. */
  readonly member: string;
  /** JSON pointer into that member. */
  readonly pointer: string;
}

/** Findings of the validator at their places. */
export const placeFindings = (
  { problems, warnings }: Findings,
  definition: EditedDefinition,
): readonly Finding[] => [
  ...problems.map((one) => ({ ...one, ...placeOfPath(one.path, definition), isWarning: false, definition })),
  ...warnings.map((one) => ({ ...one, ...placeOfPath(one.path, definition), isWarning: true, definition })),
];

/** What the service refused to save or to try. */
export interface Refusal {
  readonly error: Error;
  readonly definition: EditedDefinition;
  /** JSON pointer to it in what was sent. */
  readonly root: string;
}

/** What the service refused, at its places, without what has been edited since. */
export const findRefusals = (
  { error, definition, root }: Refusal,
  { nodes, ...others }: EditedDefinition,
): readonly Finding[] => {
  if (!(error instanceof Problem)) return [];
  const problems = error.errors.flatMap(({ pointer, detail }) => {
    const path = fromFragment(pointer);
    return path.startsWith(`${root}/`) ? [{ path: path.slice(root.length), message: detail }] : [];
  });
  const kept = new Set<unknown>(nodes);
  const isKept = ({ path, nodeId }: Finding): boolean => {
    if (nodeId !== null) return kept.has(definition.nodes.find(({ id }) => id === nodeId));
    const member = path.split('/')[1] ?? '';
    return (others as JsonObject)[member] === (definition as unknown as JsonObject)[member];
  };
  return placeFindings({ problems, warnings: [] }, definition).filter(isKept);
};

/** What a proposal does, for a button. */
export const describeProposal = (proposal: Proposal): string => {
  const [change] = proposal;
  if (change === undefined) return '';
  const key = change.path.split('/').at(-1) ?? '';
  if (change.op === 'move') return `Rename to ${key}`;
  if (change.op === 'remove') return /^\d+$/.test(key) ? 'Remove it' : `Remove ${key}`;
  const value = typeof change.value === 'string' ? change.value : JSON.stringify(change.value);
  const short = value.length > MAX_LABEL ? `${value.slice(0, MAX_LABEL)}…` : value;
  if (change.op === 'replace') return `Use ${short}`;
  return `Set ${key} to ${short}${proposal.length > 1 ? `, at ${proposal.length} nodes` : ''}`;
};

const MAX_LABEL = 60;

/** Without those that are found twice. */
export const toUnique = (findings: readonly Finding[]): readonly Finding[] => [
  ...new Map(findings.map((one) => [`${one.path} ${one.message}`, one] as const)).values(),
];

/** Where a JSON pointer leads to. What is wrong with a connection belongs to the node that it leaves. */
const placeOfPath = (path: string, { nodes, connections = [] }: EditedDefinition): Place => {
  const [, list, index, member = '', ...rest] = path.split('/');
  const source = list === 'connections' ? connections[Number(index)]?.sourceNodeId : undefined;
  if (source !== undefined) {
    const isThere = nodes.some(({ id }) => id === source);
    return { nodeId: isThere ? source : null, member: '', pointer: '' };
  }
  const nodeId = list === 'nodes' ? (nodes[Number(index)]?.id ?? null) : null;
  return { nodeId, member, pointer: toPointer(rest) };
};

const toPointer = (keys: readonly string[]): string => keys.map((key) => `/${key}`).join('');

/** Members of a node that have a field or a form of their own. */
const SHOWN = ['credentialId', 'parameters', 'settings'];

/** What is wrong with a node. @param findings - those of the node */
export const toNodeProblems = (findings: readonly Finding[]) => {
  const problems = findings.filter(({ isWarning }) => !isWarning);
  const of = (name: string): readonly ParameterProblem[] =>
    problems.filter(({ member }) => member === name).map(({ pointer: path, message }) => ({ path, message }));
  return {
    /** With the node itself. */
    own: problems.filter(({ member }) => !SHOWN.includes(member)).map(({ message }) => message),
    credential: of('credentialId').map(({ message }) => message),
    parameters: of('parameters'),
    settings: of('settings'),
    /** Likely mistakes, with their place in the node. */
    warnings: findings
      .filter(({ isWarning }) => isWarning)
      .map(({ pointer, message }) => (pointer === '' ? message : `${pointer}: ${message}`)),
    /** What can be corrected by a click, with the place in the node. */
    proposals: findings.filter(({ proposal }) => proposal !== undefined),
  };
};

export type NodeProblems = ReturnType<typeof toNodeProblems>;

/** What is wrong with the workflow besides its nodes and connections. */
export const ofWorkflow = (findings: readonly Finding[]): readonly ParameterProblem[] =>
  findings
    .filter(
      ({ path, isWarning }) =>
        !isWarning && !['nodes', 'connections', undefined].includes(path.split('/')[1]),
    )
    .map(({ path, message }) => ({ path, message }));
