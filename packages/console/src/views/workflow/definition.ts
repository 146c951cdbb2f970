import { connectionKey, type DrawnNode, type DrawnWorkflow } from '../../parts/graph/graph-layout.ts';

export interface DefinitionNode extends DrawnNode {
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly credentialId?: string;
  readonly notes?: string;
}

/** What the views read of a stored definition; the service has checked its shape. */
export interface Definition extends DrawnWorkflow {
  readonly name: string;
  readonly description?: string;
  readonly enabled: boolean;
  readonly tags?: readonly string[];
  readonly nodes: readonly DefinitionNode[];
}

export const toDefinition = (definition: unknown): Definition => definition as Definition;

export const findNode = ({ nodes }: Definition, nodeId: string): DefinitionNode | null =>
  nodes.find(({ id }) => id === nodeId) ?? null;

/** A text as one word of a POSIX shell. */
const quoteWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** A command that calls a webhook. It has a placeholder for the credential, whose secret the API does not return. */
export const toCurl = (
  { method, url }: { readonly method: string; readonly url: string },
  { parameters = {} }: Pick<DefinitionNode, 'parameters'>,
): string => {
  const hasBody = !['GET', 'HEAD', 'OPTIONS', 'DELETE'].includes(method);
  const credential: Readonly<Record<string, readonly string[]>> = {
    apiKey: ["-H 'x-api-key: YOUR_KEY'"],
    basic: ["-u 'USER:PASSWORD'"],
  };
  return [
    'curl',
    ...(method === 'HEAD' ? ['-I'] : ['-X', method]),
    quoteWord(url),
    ...(credential[String(parameters.authentication)] ?? []),
    ...(hasBody ? ["-H 'content-type: application/json'", `-d '{}'`] : []),
  ].join(' ');
};

/** What the admin API says of two versions. */
interface Difference {
  readonly nodes: {
    readonly added: readonly unknown[];
    readonly removed: readonly unknown[];
    readonly changed: readonly { readonly id: string }[];
  };
  readonly connections: { readonly added: readonly unknown[]; readonly removed: readonly unknown[] };
}

export type Change = 'added' | 'removed' | 'changed';

type Connection = NonNullable<DrawnWorkflow['connections']>[number];

const idsOf = (nodes: readonly unknown[]): readonly string[] =>
  (nodes as readonly DrawnNode[]).map(({ id }) => id);

/** Both versions as one graph: the later one with what was removed, each node and connection with its change. */
export const drawDifference = (
  to: Definition,
  { nodes, connections }: Difference,
): {
  readonly definition: DrawnWorkflow;
  readonly marks: Readonly<Record<string, { readonly change: Change }>>;
} => {
  const marks = Object.fromEntries([
    ...idsOf(nodes.added).map((id) => [id, { change: 'added' }] as const),
    ...idsOf(nodes.removed).map((id) => [id, { change: 'removed' }] as const),
    ...nodes.changed.map(({ id }) => [id, { change: 'changed' }] as const),
  ]);
  const added = new Set((connections.added as readonly Connection[]).map(connectionKey));
  return {
    definition: {
      nodes: [...to.nodes, ...(nodes.removed as readonly DrawnNode[])],
      connections: [
        ...(to.connections ?? []).map((one) =>
          added.has(connectionKey(one)) ? { ...one, change: 'added' as const } : one,
        ),
        ...(connections.removed as readonly Connection[]).map((one) => ({
          ...one,
          change: 'removed' as const,
        })),
      ],
    },
    marks,
  };
};
