import type { JsonValue } from '@hookloom/plugin-kit';
import type { WorkflowDefinition } from './definition.ts';

/** The names that `$vars` is read with; `all` if an expression computes them. */
type VariablesRead = readonly string[] | 'all';

const READ = /\$vars(?!\w)(?:\.(?:`([^`]*)`|([A-Za-z_]\w*)))?/g;

/**
 * Finds the variables that parameters read. It looks for names in their text, which is enough: text that is no
 * expression names a variable too many, never one too few.
 */
export const findVariables = (parameters: JsonValue): VariablesRead => {
  const text = JSON.stringify(parameters);
  if (!text.includes('$vars')) return [];
  const names = [...text.matchAll(READ)].map(([, quoted, name]) => quoted ?? name);
  return names.includes(undefined) ? 'all' : [...new Set(names as string[])];
};

/** Finds the variables that an execution of a workflow may read; all if it runs other workflows, which may read any. */
export const findVariablesOf = ({ nodes }: WorkflowDefinition): VariablesRead =>
  nodes.some(({ type }) => type === 'subworkflow')
    ? 'all'
    : findVariables(nodes.map(({ parameters }) => parameters));
