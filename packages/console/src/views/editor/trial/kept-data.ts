import { isPlainObject } from '@hookloom/plugin-kit';
import { settings } from '../../../parts/page-settings.ts';
import { toOutputs } from './recorded-data.ts';
import { type DraftData, isDerived, type NodeData } from './trial-data.ts';

/** In characters of JSON: browsers have room for about five million in all. */
const MAX_LENGTH = 2_000_000;

const dataKeyOf = (workflowId: string): string => `hookloom-trial-data/${settings.stage ?? ''}/${workflowId}`;

/** The data that this browser keeps for a draft. @param workflowId - empty for a new workflow */
export const loadData = (workflowId: string): DraftData => {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(dataKeyOf(workflowId)) ?? '{}');
    if (!isPlainObject(kept)) return {};
    return Object.fromEntries(Object.entries(kept).filter(([, own]) => isNodeData(own))) as DraftData;
  } catch {
    return {};
  }
};

/**
 * Keeps the data of a draft in this browser, but for what the page makes again; empty data is forgotten.
 *
 * @returns whether it is kept: it may be too large, and storage may be full or switched off
 */
export const keepData = (workflowId: string, data: DraftData): boolean => {
  try {
    const kept = Object.entries(data).filter(([, own]) => !isDerived(own));
    const text = JSON.stringify(Object.fromEntries(kept));
    const isEmpty = kept.length === 0;
    if (isEmpty || text.length > MAX_LENGTH) localStorage.removeItem(dataKeyOf(workflowId));
    else localStorage.setItem(dataKeyOf(workflowId), text);
    return isEmpty || text.length <= MAX_LENGTH;
  } catch {
    return false;
  }
};

/** An earlier version of this page, or a program on the same port, may have written something else. */
const isNodeData = (value: unknown): boolean => {
  if (!isPlainObject(value)) return false;
  const { from, id, at, outputs, isPinned, isCut, run, stamp } = value as Partial<NodeData>;
  return (
    [from, id, stamp].every((text) => typeof text === 'string') &&
    (at === null || (typeof at === 'string' && !Number.isNaN(Date.parse(at)))) &&
    Object.keys(toOutputs(outputs) ?? {}).length === Object.keys(outputs ?? {}).length &&
    [isPinned, isCut].every((flag) => typeof flag === 'boolean') &&
    (run === null ||
      (isPlainObject(run) &&
        typeof run.status === 'string' &&
        typeof run.durationMs === 'number' &&
        Array.isArray(run.log)))
  );
};
