import { ERROR_OUTPUT, isPlainObject, MAIN_OUTPUT } from '@hookloom/plugin-kit';
import { quote, quoteAll } from '../../../../lib/shared/describe.ts';
import { ENTRY_TRIGGER } from '../../../../lib/workflows/definition/entry-trigger.ts';
import type { Problem } from '../../../../lib/workflows/definition/problem.ts';
import { type DraftGraph, type DraftNode, edgesFrom } from '../graph/draft-graph.ts';
import { proposeRemoval, proposeValue, proposeWithout } from '../proposals/proposal.ts';

const ERROR_TRIGGER = 'errorTrigger';

/** Checks that a node has what it requires: a credential, a body, a connection for its failures. */
export const checkNeeds = (graph: DraftGraph, draft: DraftNode): Problem[] => [
  ...checkCredential(draft),
  ...checkBody(graph, draft),
  ...checkOnError(graph, draft),
];

const checkCredential = ({ index, node, nodeType }: DraftNode): Problem[] => {
  if (nodeType === null || node.credentialId !== undefined) return [];
  const { credentialRequired: isRequired, credentialTypes, credentialTypesFor } = nodeType;
  try {
    if (!(typeof isRequired === 'function' ? isRequired(node.parameters) : isRequired)) return [];
    const types = credentialTypesFor?.(node.parameters) ?? credentialTypes;
    const message = `needs a credentialId: a credential of the type ${types.join(' or ')}`;
    return [{ path: `/nodes/${index}`, message }];
  } catch {
    return []; // a plugin's function may throw for invalid parameters
  }
};

const leadsOn = (graph: DraftGraph, index: number, output: string): boolean =>
  edgesFrom(graph, index).some((edge) => edge.output === output);

const checkBody = (graph: DraftGraph, { index, nodeType, isDisabled }: DraftNode): Problem[] => {
  const { bodyOutput, needsBody = false } = nodeType?.control ?? {};
  if (!needsBody || bodyOutput === undefined || isDisabled || leadsOn(graph, index, bodyOutput)) return [];
  const message = `nothing is connected to its output ${quote(bodyOutput)}, so it runs nothing: connect the nodes that it should run`;
  return [{ path: `/nodes/${index}`, message }];
};

const checkOnError = (graph: DraftGraph, { index, node, nodeType, outputs }: DraftNode): Problem[] => {
  const settings = isPlainObject(node.settings) ? node.settings : {};
  const { onError } = settings;
  const place = `/nodes/${index}/settings`;
  const path = `${place}/onError`;
  if (onError === 'route' && nodeType?.kind === 'action' && !leadsOn(graph, index, ERROR_OUTPUT)) {
    const message = `would hide the failure and let the run succeed: connect its output ${quote(ERROR_OUTPUT)}, or remove onError`;
    return [{ path, message, ...proposeWithout(settings, 'onError', place) }];
  }
  if (onError === 'continue' && outputs !== null && !outputs.has(MAIN_OUTPUT)) {
    const others = outputs.size === 0 ? '' : `, but ${quoteAll(outputs)}`;
    const message = `${quote(node.id)} has no output ${quote(MAIN_OUTPUT)} to continue on${others}; did you mean "route"?`;
    return [{ path, message, ...proposeValue(path, 'route') }];
  }
  return [];
};

/** Failures of a run that a failure started are not reported, which prevents an endless loop. */
export const checkOwnFailures = ({ nodes }: DraftGraph, workflowId: string): Problem[] =>
  nodes.some(({ node: { type }, nodeType }) => {
    // What fires an entry gets its failure.
    return type !== ERROR_TRIGGER && type !== ENTRY_TRIGGER && nodeType?.kind !== 'action';
  })
    ? []
    : nodes.flatMap(({ index, node: { type, parameters } }) => {
        const at =
          type === ERROR_TRIGGER && Array.isArray(parameters.workflows)
            ? parameters.workflows.indexOf(workflowId)
            : -1;
        const message = 'names this workflow itself, whose own failures never start it: remove it';
        const path = `/nodes/${index}/parameters/workflows/${at}`;
        return at === -1 ? [] : [{ path, message, ...proposeRemoval(path) }];
      });
