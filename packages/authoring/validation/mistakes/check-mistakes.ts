import { findSchemaFault, findUnsupported } from '@hookloom/bounded-schema';
import { isPlainObject, isReservedHeader, isToken, type JsonObject } from '@hookloom/plugin-kit';
import { didYouMean, quote, toPointerKey } from '../../../../lib/shared/describe.ts';
import { findFormProblems } from '../../../../lib/shared/forms/form-problems.chunk.ts';
import { features } from '../../../../lib/webhooks/features/features.ts';
import type { WorkflowDefinition } from '../../../../lib/workflows/definition/definition.ts';
import type { Problem } from '../../../../lib/workflows/definition/problem.ts';
import { WEBHOOK_TRIGGER } from '../../../../lib/workflows/definition/to-path-configs.ts';
import { splitTemplate } from '../../../../lib/workflows/expressions/template.ts';
import type { DraftGraph, DraftNode } from '../graph/draft-graph.ts';
import { checkWaitingTime } from './check-callers.ts';
import { checkJsonSchema } from './check-json-schema.ts';
import { checkNeeds, checkOwnFailures } from './check-needs.ts';
import { checkRequests } from './check-requests.ts';
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
export const checkMistakes = async (
  graph: DraftGraph,
  { id }: Pick<WorkflowDefinition, 'id'>,
  isConnected: boolean,
): Promise<Problem[]> => {
  const ofNodes = graph.nodes.map(async (draft) => [
    ...(isConnected ? checkNeeds(graph, draft) : []),
    ...(await checkParameters(graph, draft)),
    ...findSecrets(draft),
    ...checkRequests(draft),
  ]);
  return [
    ...(await Promise.all(ofNodes)).flat(),
    ...checkOwnFailures(graph, id),
    ...(isConnected ? [...checkWays(graph, id), ...checkWaitingTime(graph)] : []),
  ];
};

const checkParameters = async (graph: DraftGraph, draft: DraftNode): Promise<Problem[]> => {
  const { index, node, nodeType } = draft;
  const place = `/nodes/${index}/parameters`;
  if (nodeType === null || !isPlainObject(node.parameters)) return [];
  const values = [...eachValue(schemaOf(draft, nodeType.schema), node.parameters, place)];
  return [
    ...(await Promise.all(values.map((declared) => checkValue(declared, node.type)))).flat(),
    ...checkFields(graph, draft, values),
    ...(node.type === AWS
      ? (await import('./check-aws-call.chunk.ts')).checkAwsCall(node.parameters, place)
      : []),
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

const checkValue = async (declared: DeclaredValue, nodeType: string): Promise<Problem[]> => {
  const { value, path, name, format } = declared;
  if (name === 'headers' && isPlainObject(value)) return checkHeaders(value, path, nodeType);
  if (format === 'css-selector' && typeof value === 'string')
    return (await import('./check-selector.chunk.ts')).checkSelector(value, path);
  if (format === 'javascript' && typeof value === 'string')
    return (await import('./check-code.chunk.ts')).checkCode(value, path);
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

const checkHeaders = (headers: Record<string, unknown>, path: string, nodeType: string): Problem[] =>
  Object.entries(headers).flatMap(([name, value]) => {
    const place = `${path}/${toPointerKey(name)}`;
    if (!isToken(name)) return [{ path: place, message: 'is not a name that HTTP allows' }];
    const ofName = nodeType === WEBHOOK_TRIGGER ? [] : checkHeaderName(name, place, headers, nodeType);
    if (ofName.length > 0) return ofName;
    const character =
      typeof value === 'string' ? findForeignCharacter(value, NOT_IN_HEADERS[nodeType] ?? NOT_LATIN_1) : null;
    if (character === null) return [];
    const message =
      character > '\x7f'
        ? `has ${quote(character)}, which a header can't carry: ${HEADER_HINT}`
        : "has a control character, which a header can't carry";
    return [{ path: place, message }];
  });

/** Headers that workflows write, which are easily misspelt. */
const HEADERS = [
  ...['accept', 'accept-encoding', 'accept-language', 'authorization', 'cache-control', 'content-type'],
  ...['content-disposition', 'content-encoding', 'if-match', 'if-none-match', 'if-modified-since'],
  ...['idempotency-key', 'retry-after', 'set-cookie', 'user-agent', 'www-authenticate'],
];

/** Whether two names differ by one letter that is missing, another one, or swapped with its neighbour. */
const isSlip = (one: string, other: string): boolean => {
  if (one === other || Math.abs(one.length - other.length) > 1) return false;
  let at = 0;
  while (one[at] !== undefined && one[at] === other[at]) at += 1;
  const [left, right] = [one.slice(at), other.slice(at)];
  return (
    left.slice(1) === right ||
    left === right.slice(1) ||
    left.slice(1) === right.slice(1) ||
    (left.slice(2) === right.slice(2) && left[0] === right[1] && left[1] === right[0])
  );
};

/** Headers of a request that the service sets itself, and misspelt ones. */
const checkHeaderName = (
  name: string,
  place: string,
  headers: Record<string, unknown>,
  nodeType: string,
): Problem[] => {
  const lower = name.toLowerCase();
  if (nodeType === 'httpRequest' || nodeType === 'graphql') {
    if (lower === 'host') return [{ path: place, message: 'follows from the URL and is refused' }];
    if (isReservedHeader(name))
      return [{ path: place, message: "is set by the connection and can't be chosen" }];
  }
  if (HEADERS.includes(lower) || lower.startsWith('x-')) return [];
  const dashed = lower.replaceAll('_', '-');
  const near = HEADERS.find((header) => header === dashed || isSlip(dashed, header));
  if (near === undefined || Object.keys(headers).some((other) => other.toLowerCase() === near)) return [];
  return [{ path: place, message: `is probably misspelt${didYouMean(near)}`, severity: 'warning' }];
};

const HEADER_HINT = `use $encodeUrlComponent(…), for the name of a file as in attachment; filename*=UTF-8''{{ $encodeUrlComponent(name) }}`;

/** RFC 9110 §5.5. Requests may have letters of Latin-1, which Node sends as one byte each; answers are ASCII. */
const NOT_LATIN_1 = /[^\t\x20-\x7e\x80-\xff]/u;
const NOT_ASCII = /[^\t\x20-\x7e]/u;
const NOT_IN_HEADERS: Readonly<Record<string, RegExp>> = {
  [WEBHOOK_TRIGGER]: NOT_ASCII,
  respondToWebhook: NOT_ASCII,
};

/** The first such character outside of expressions; null if there is none. */
const findForeignCharacter = (value: string, foreign: RegExp): string | null => {
  for (const part of splitTemplate(value)) {
    const found = 'text' in part ? foreign.exec(part.text) : null;
    if (found !== null) return found[0];
  }
  return null;
};

/** What a form's answer contains in addition to its fields. */
const RESERVED_FIELDS = ['decision'];

const checkForm = (form: Record<string, unknown>, path: string): Problem[] =>
  findFormProblems(form, RESERVED_FIELDS).map((problem) => ({ ...problem, path: `${path}${problem.path}` }));
