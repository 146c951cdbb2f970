import type { WorkflowNode } from '@hookloom/plugin-kit';
import { toPattern } from '../../../lib/workflows/definition/path-pattern.ts';

/** Fields of any request before its trigger has run. */
const REQUEST_FIELDS = [
  'body',
  'headers',
  'queryParams',
  'requestMethod',
  'requestPath',
  'remoteAddress',
  'triggeredAt',
];

type Trigger = Pick<WorkflowNode, 'parameters'>;

/** Fields of a request to one of some webhook triggers: the input of a `deduplication`. */
export const requestFieldsOf = (triggers: readonly Trigger[]): readonly string[] =>
  triggers.some(hasPathParams) ? [...REQUEST_FIELDS, 'pathParams'] : REQUEST_FIELDS;

/** All fields in the output of one of some webhook triggers. */
export const webhookFieldsOf = (triggers: readonly Trigger[]): readonly string[] => [
  ...requestFieldsOf(triggers),
  'triggerType',
];

const hasPathParams = ({ parameters: { path } }: Trigger): boolean =>
  typeof path === 'string' && toPattern(path.startsWith('/') ? path : `/${path}`) !== null;
