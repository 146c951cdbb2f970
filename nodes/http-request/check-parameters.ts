import type { JsonObject, JsonValue, ParameterProblem } from '@hookloom/plugin-kit';
import { findNextProblem } from './next-page.ts';
import { rules } from './properties.ts';
import { parseStatusSet } from './send.ts';

const LISTS = ['successStatus', 'retryStatus'];

/** Finds literal parameters that every run would refuse: statuses such as `2xx`, numbers beyond their limits, and `next`. */
export const findParameterProblems = async (parameters: JsonObject): Promise<readonly ParameterProblem[]> => [
  ...(await findNextProblems(parameters.next)),
  ...LISTS.flatMap((name) => findStatusProblems(name, parameters[name])),
  ...Object.entries(rules).flatMap(([name, rule]) => {
    const value = parameters[name];
    if (!('minimum' in rule) || typeof value !== 'number') return [];
    const { minimum, maximum } = rule;
    if (Number.isInteger(value) && value >= minimum && value <= maximum) return [];
    return [{ path: `/${name}`, message: `must be an integer from ${minimum} to ${maximum}` }];
  }),
];

const findNextProblems = async (next: JsonValue | undefined): Promise<readonly ParameterProblem[]> => {
  const message = await findNextProblem(next);
  return message === null ? [] : [{ path: '/next', message }];
};

const findStatusProblems = (name: string, list: JsonValue | undefined): readonly ParameterProblem[] => {
  if (!Array.isArray(list)) return [];
  return list.flatMap((item, index) => {
    if (typeof item === 'string' && item.includes('{{')) return []; // read when the node runs
    try {
      parseStatusSet(name, [item]);
      return [];
    } catch {
      const message = 'must be a status such as 404 or a range such as "200-299"';
      return [{ path: `/${name}/${index}`, message }];
    }
  });
};
