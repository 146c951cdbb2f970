import { isPlainObject } from '@hookloom/plugin-kit';
import { quote } from '../../lib/shared/describe.ts';
import { findNearest } from '../../lib/shared/near-name.ts';
import type { Problem } from '../../lib/workflows/definition/problem.ts';
import { workflowSchema } from '../../lib/workflows/definition/schema.ts';
import { proposeKey } from './proposals/proposal.ts';
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
 * Checks a file against the schema. Unknown keys at the top level are allowed, since they may belong to another tool,
 * but a misspelt key that the file lacks is a problem.
 */
export const checkTopLevel = (value: unknown): Problem[] => {
  const shape = checkSchema(workflowSchema, value, '').map(withoutNewId);
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
  const explained = new Set(slips.map(({ meant }) => `lacks the key ${quote(meant)}`));
  return [
    ...shape.filter(({ path, message }) => path !== '' || !explained.has(message)),
    ...slips.map(({ key, meant, proposed }) => ({
      path: '',
      message: `has the unknown key ${quote(key)}; did you mean ${quote(meant)}?`,
      ...proposed,
    })),
  ];
};

const ID = /^\/(?:nodes\/\d+\/id|connections\/\d+\/(?:source|target)NodeId)$/;

/** Another id for a node is no correction by itself, since connections and expressions use it. */
const withoutNewId = ({ proposal, ...problem }: Problem): Problem =>
  proposal === undefined || ID.test(problem.path) ? problem : { ...problem, proposal };
