import { isPlainObject } from '@hookloom/plugin-kit';
import { isPure, type NodeType } from '@hookloom/plugin-kit/host';
import { quote } from '../../../lib/shared/describe.ts';
import { type Problem, problemsWhere } from '../../../lib/workflows/definition/problem.ts';
import { pollOf } from '../../../lib/workflows/plan/poll-type.ts';
import type { DraftGraph, DraftNode } from './graph/draft-graph.ts';
import { proposeRemoval, proposeWithout } from './proposals/proposal.ts';

/** Finds settings that contradict each other or have no effect on their node. */
export const checkSettings = ({ nodes }: DraftGraph, loopNodes: ReadonlySet<number>): Problem[] =>
  nodes.flatMap((draft) => {
    const place = `/nodes/${draft.index}`;
    const { settings } = draft.node;
    return [
      ...checkCredential(draft, place),
      ...(isPlainObject(settings) ? checkAttempts(draft, settings, `${place}/settings`) : []),
      ...(isPlainObject(settings) && settings.maxIterations !== undefined && !loopNodes.has(draft.index)
        ? [
            {
              path: `${place}/settings/maxIterations`,
              message: 'has no effect: the node is not in a loop',
              ...proposeWithout(settings, 'maxIterations', `${place}/settings`),
            },
          ]
        : []),
    ];
  });

const checkCredential = ({ node, nodeType }: DraftNode, place: string): Problem[] =>
  typeof node.credentialId !== 'string' || nodeType === null || nodeType.credentialTypes.length > 0
    ? []
    : [
        {
          path: `${place}/credentialId`,
          message: `nodes of the type ${quote(node.type)} don't use a credential: remove it`,
          ...proposeRemoval(`${place}/credentialId`),
        },
      ];

/** The keys of `retry` other than `maxAttempts`. */
const DELAYS = new Set(['intervalSeconds', 'backoffRate', 'maxDelaySeconds']);

const checkAttempts = (
  { node, nodeType }: DraftNode,
  settings: Readonly<Record<string, unknown>>,
  place: string,
): Problem[] => {
  const { retry, atMostOnce, timeoutSeconds } = settings;
  if (nodeType === null) return [];
  const reason = describeNoRetry(nodeType, node);
  if (reason !== null)
    return problemsWhere(
      [isPlainObject(retry), 'retry', reason],
      [atMostOnce === true, 'atMostOnce', reason],
      [nodeType.control !== null && timeoutSeconds !== undefined, 'timeoutSeconds', reason],
    ).map(({ path: setting, message }) => ({
      path: `${place}/${setting}`,
      message: `has no effect: ${message}`,
      ...proposeWithout(settings, setting, place),
    }));
  // An object may have no text.
  const maxAttempts =
    isPlainObject(retry) && typeof retry.maxAttempts !== 'object' ? (retry.maxAttempts ?? 1) : 1;
  return problemsWhere(
    [
      isPlainObject(retry) && Object.keys(retry).every((key) => DELAYS.has(key)),
      `${place}/retry`,
      'never retries: maxAttempts defaults to 1, which is the first attempt',
    ],
    [
      atMostOnce === true && Number(maxAttempts) > 1,
      `${place}/atMostOnce`,
      `contradicts retry.maxAttempts ${maxAttempts}`,
    ],
  );
};

/** Why nodes of a type are never retried; null for types that can be. */
const describeNoRetry = (type: NodeType, { parameters }: DraftNode['node']): string | null => {
  const { nodeType, kind, control } = type;
  if (control !== null)
    return `nodes of the type ${quote(nodeType)} control the run: they get one attempt, without a timeout`;
  if (pollOf(type) !== null) return null;
  if (kind === 'trigger') return 'triggers are never retried';
  return isPure(type, parameters)
    ? `nodes of the type ${quote(nodeType)} have no side effects and are never retried`
    : null;
};
