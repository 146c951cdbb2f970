import { findSchemaFault, findUnsupported } from '@hookloom/bounded-schema';
import { isPlainObject, isToken, type JsonObject } from '@hookloom/plugin-kit';
import { toPointerKey } from '../../../lib/shared/describe.ts';
import { findFormProblems } from '../../../lib/shared/forms/form-problems.chunk.ts';
import { features } from '../../../lib/webhooks/features/features.ts';
import type { WorkflowDefinition } from '../../../lib/workflows/definition/definition.ts';
import type { Problem } from '../../../lib/workflows/definition/problem.ts';
import { WEBHOOK_TRIGGER } from '../../../lib/workflows/definition/to-path-configs.ts';
import type { DraftGraph, DraftNode } from '../graph/draft-graph.ts';
import { checkAwsCall } from './check-aws-call.ts';
import { checkWaitingTime } from './check-callers.ts';
import { checkCode } from './check-code.ts';
import { checkJsonSchema } from './check-json-schema.ts';
import { checkNeeds, checkOwnFailures } from './check-needs.ts';
import { checkFields, checkFormat, type DeclaredValue, eachValue } from './check-values.ts';
import { checkWays } from './check-ways.ts';
import { findSecrets } from './find-secrets.ts';

/** The node type whose parameters are an AWS call. */
const AWS = 'aws';

/**
 * Finds what can be stored but would fail or go wrong in a run, from what node types declare about their parameters and
 * from the paths through the workflow.
 *
 * @param isConnected - whether both ends of every connection exist, so that the paths are known
 */
export const checkMistakes = (
  graph: DraftGraph,
  { id }: Pick<WorkflowDefinition, 'id'>,
  isConnected: boolean,
): Problem[] => [
  ...graph.nodes.flatMap((draft) => [
    ...(isConnected ? checkNeeds(graph, draft) : []),
    ...checkParameters(graph, draft),
    ...findSecrets(draft),
  ]),
  ...checkOwnFailures(graph, id),
  ...(isConnected ? [...checkWays(graph, id), ...checkWaitingTime(graph)] : []),
];

const checkParameters = (graph: DraftGraph, draft: DraftNode): Problem[] => {
  const { index, node, nodeType } = draft;
  const place = `/nodes/${index}/parameters`;
  if (nodeType === null || !isPlainObject(node.parameters)) return [];
  const values = [...eachValue(schemaOf(draft, nodeType.schema), node.parameters, place)];
  return [
    ...values.flatMap(checkValue),
    ...checkFields(graph, draft, values),
    ...(node.type === AWS ? checkAwsCall(node.parameters, place) : []),
  ];
};

/** Returns the schema of a node's parameters; a webhook's features have their own schemas. */
const schemaOf = ({ node }: DraftNode, schema: JsonObject): JsonObject =>
  node.type === WEBHOOK_TRIGGER && isPlainObject(schema.properties)
    ? {
        ...schema,
        properties: {
          ...schema.properties,
          ...Object.fromEntries(features.map((feature) => [feature.name, feature.schema])),
        },
      }
    : schema;

const checkValue = (declared: DeclaredValue): Problem[] => {
  const { value, path, name, format } = declared;
  if (name === 'headers' && isPlainObject(value)) return checkHeaderNames(value, path);
  if (format === 'javascript' && typeof value === 'string') return checkCode(value, path);
  if ((format !== 'json-schema' && format !== 'form') || !isPlainObject(value)) return checkFormat(declared);
  if (JSON.stringify(value).includes('{{')) return checkJsonSchema(value, path); // checked when the node runs
  const schema = value as JsonObject;
  const fault = findSchemaFault(schema);
  if (fault !== null)
    return [{ path: `${path}${fault.place}`, message: `is not a valid JSON Schema: ${fault.message}` }];
  const unsupported = findUnsupported(schema); // which a run would refuse
  if (unsupported !== null) return [{ path: `${path}${unsupported.place}`, message: unsupported.message }];
  return [...checkJsonSchema(value, path), ...(format === 'form' ? checkForm(value, path) : [])];
};

const checkHeaderNames = (headers: Record<string, unknown>, path: string): Problem[] =>
  Object.keys(headers)
    .filter((name) => !isToken(name))
    .map((name) => ({ path: `${path}/${toPointerKey(name)}`, message: 'is not a name that HTTP allows' }));

/** What a form's answer contains in addition to its fields. */
const RESERVED_FIELDS = ['decision'];

const checkForm = (form: Record<string, unknown>, path: string): Problem[] =>
  findFormProblems(form, RESERVED_FIELDS).map((problem) => ({ ...problem, path: `${path}${problem.path}` }));
