import { didYouMean, quote } from '../../../lib/shared/describe.ts';
import { NAMELESS } from '../graph/read-draft.ts';
import { toName, toNodePath } from './name-paths.ts';
import type { Names } from './names.ts';
import { type Ast, namesBehind } from './syntax-tree.ts';

/**
 * Problem with a node id after `$nodes`; null for a valid one.
 * @param step - the id, as a name in a path or as a string
 * @param others - the steps after it
 */
export const describeNodeId = (
  text: string,
  names: Names,
  step: Ast,
  others: readonly Ast[],
): string | null => {
  const id = String(step.value);
  const written = readDashed(text, step);
  const dashed = written === id ? null : findDashedId(names.nodeIds, written);
  if (dashed !== null) {
    const path = toNodePath(dashed, namesAfter(text, step, dashed));
    return `$nodes.${dashed} is read as a subtraction; did you mean ${quote(path)}?`;
  }
  if (!names.nodeIds.has(id)) {
    if (names.nodeIds.has(NAMELESS)) return null; // the missing node may be one with an invalid id
    const near = names.idOfName.get(id) ?? names.findNearest(written, names.nodeIds);
    const meant =
      near === null
        ? null
        : toNodePath(near, written === id ? namesBehind(step, others) : namesAfter(text, step, written));
    return `there is no node ${quote(written)}${didYouMean(meant)}`;
  }
  if (id === names.ownId) return `$nodes.${toName(id)} is the node's own output, which does not exist yet`;
  if (names.visibleIds === null || names.visibleIds.has(id)) return null;
  const near = names.findNearest(id, names.visibleIds.list());
  return `$nodes.${toName(id)} can't be read here: no connection leads from that node to this one${didYouMean(near && toNodePath(near, namesBehind(step, others)))}`;
};

/** The name in the text, including its dashes. */
export const readDashed = (text: string, { type, value, position }: Ast): string => {
  const name = String(value);
  if (type !== 'name') return name;
  const start = Number(position) - name.length;
  if (text.slice(start, start + name.length) !== name) return name; // in backticks
  return /^[A-Za-z0-9_-]{1,64}/.exec(text.slice(start, start + 64))?.[0] ?? name;
};

/** The id of a node at the start of a name with dashes: `my-node-1` may be `my-node` minus 1. */
const findDashedId = (nodeIds: ReadonlySet<string>, written: string): string | null => {
  for (let end = written.length; end > 0; end = written.lastIndexOf('-', end - 1)) {
    const id = written.slice(0, end);
    if (!id.includes('-')) return null;
    if (nodeIds.has(id)) return id;
  }
  return null;
};

/** The plain names after an id with dashes, read from the text: in the tree they are a subtraction. */
const namesAfter = (text: string, { value, position }: Ast, id: string): string[] => {
  const start = Number(position) - String(value).length + id.length;
  const path = /^(?:\.[A-Za-z_][A-Za-z0-9_]*)*/.exec(text.slice(start, start + 200))?.[0] ?? '';
  return path.split('.').slice(1);
};
