import { isPlainObject } from '@hookloom/plugin-kit';
import { quote, toPointerKey } from '../../../lib/shared/describe.ts';
import { findNearest } from '../../../lib/shared/near-name.ts';
import type { Problem } from '../../../lib/workflows/definition/problem.ts';
import { CURRENT_FORMAT, workflowSchema } from '../../../lib/workflows/definition/schema.ts';
import { proposeKey, proposeRemoval } from './proposals/proposal.ts';
import { checkSchema } from './schema/check-schema.ts';

/** Keys in other tools' workflow files, with our equivalents. */
const foreignKeys: ReadonlyMap<string, string> = new Map([
  ['active', 'enabled'],
  ['disabled', 'enabled'],
  ['steps', 'nodes'],
  ['edges', 'connections'],
]);

/** Shorter keys resemble too many others; a greater difference in length means a different word. */
const MIN_LENGTH = 4;
const MAX_LETTERS = 2;

/**
 * Checks a file against the schema. An unknown key at the top level is a problem. Format 1 allows it, for other tools, with
 * a warning, unless it is a misspelt key that the file lacks.
 */
export const checkTopLevel = (value: unknown): Problem[] => {
  const shape = checkSchema(workflowSchema, value, '').map(withoutNewId).map(nameFormats);
  if (!isPlainObject(value)) return shape;
  const lacking = Object.keys(workflowSchema.properties).filter((key) => !Object.hasOwn(value, key));
  const slips = Object.keys(value).flatMap((key) => {
    if (key.length < MIN_LENGTH || Object.hasOwn(workflowSchema.properties, key)) return [];
    const near = findNearest(key, lacking);
    const isSlip = near !== null && Math.abs(near.length - key.length) <= MAX_LETTERS;
    const foreign = foreignKeys.get(key);
    const meant = foreign ?? (isSlip ? near : null);
    const proposed = foreign === undefined ? proposeKey('', key, meant) : {};
    return meant !== null && lacking.includes(meant) ? [{ key, meant, proposed }] : [];
  });
  const explainedKeys = new Set(slips.map(({ key }) => key));
  const unread = Object.keys(value).filter(
    (key) => !Object.hasOwn(workflowSchema.properties, key) && !explainedKeys.has(key),
  );
  const explained = new Set(slips.map(({ meant }) => `lacks the key ${quote(meant)}`));
  return [
    ...shape.filter(({ path, message }) => path !== '' || !explained.has(message)),
    ...slips.map(({ key, meant, proposed }) => ({
      path: '',
      message: `has the unknown key ${quote(key)}; did you mean ${quote(meant)}?`,
      ...proposed,
    })),
    ...unread.map((key): Problem => {
      const path = `/${toPointerKey(key)}`;
      const message = 'is a key that a workflow does not have: nothing reads it';
      return { path, message, ...(isFormat1(value) ? { severity: 'warning' } : {}), ...proposeRemoval(path) };
    }),
  ];
};

/** Whether a file has the first format, whose meaning stays as it is. */
const isFormat1 = ({ format = 1 }: Readonly<Record<string, unknown>>): boolean => format === 1;

const nameFormats = (problem: Problem): Problem =>
  problem.path === '/format'
    ? { path: problem.path, message: `must be 1 or ${CURRENT_FORMAT}: this release knows no other format` }
    : problem;

const ID = /^\/(?:nodes\/\d+\/id|connections\/\d+\/(?:source|target)NodeId)$/;

/** Another id for a node is no correction by itself, since connections and expressions use it. */
const withoutNewId = ({ proposal, ...problem }: Problem): Problem =>
  proposal === undefined || ID.test(problem.path) ? problem : { ...problem, proposal };
