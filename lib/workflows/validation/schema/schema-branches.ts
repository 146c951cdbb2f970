import type { ErrorObject } from 'ajv';
import { isPlainObject } from '../../../contract/json.ts';

/**
 * The errors without those of alternatives that were not meant. For `oneOf` and `anyOf` a validator reports what is
 * wrong with every branch, and then that none fits: in their place come the errors of the branch that has the fewest.
 * Branches that only require a key become one error, `needsOne` or `takesOne` with `params.keys`.
 * @param isUnknown tells errors about values that are only known in a run: they don't count
 */
export const reduceBranches = (
  errors: readonly ErrorObject[],
  isUnknown: (error: ErrorObject) => boolean,
): ErrorObject[] => {
  const kept: ErrorObject[] = [];
  for (const error of errors) {
    if (error.keyword === 'oneOf' || error.keyword === 'anyOf') {
      const found = takeBranchErrors(kept, error);
      if (!isUnknown(error)) kept.push(...chooseBranch(error, found));
    } else if (error.keyword !== 'if' && !isUnknown(error)) {
      kept.push(error); // for `if`, its `then` or `else` has said what is wrong
    }
  }
  return kept;
};

/** The errors of the branches stand right before the one that says that none fits. */
const takeBranchErrors = (kept: ErrorObject[], { schemaPath, instancePath }: ErrorObject): ErrorObject[] => {
  const isOfBranch = (error: ErrorObject): boolean =>
    error.schemaPath.startsWith(`${schemaPath}/`) &&
    (error.instancePath === instancePath || error.instancePath.startsWith(`${instancePath}/`));
  const start = kept.findLastIndex((error) => !isOfBranch(error)) + 1;
  return kept.splice(start);
};

const chooseBranch = (summary: ErrorObject, found: readonly ErrorObject[]): readonly ErrorObject[] => {
  const branches: readonly unknown[] = Array.isArray(summary.schema) ? summary.schema : [];
  const keys = branches.map(onlyRequired);
  const isOfKeys = keys.every((key) => key !== null);
  if (Array.isArray(summary.params.passingSchemas)) {
    return [isOfKeys ? { ...summary, keyword: 'takesOne', params: { keys } } : summary];
  }
  if (isOfKeys) return [{ ...summary, keyword: 'needsOne', params: { keys } }];
  // The errors behind a reference have a path of their own: no telling of which branch they are.
  if (branches.some((branch) => isPlainObject(branch) && '$ref' in branch)) return [...found, summary];
  const byBranch = Map.groupBy(found, (error) => branchOf(error, summary));
  // One without an error fits as far as is known before a run.
  if (branches.some((_, index) => !byBranch.has(index))) return [];
  return [...byBranch.values()].reduce((best, errors) =>
    costOf(errors, summary) < costOf(best, summary) ? errors : best,
  );
};

/** The key, of a branch that does nothing but require it. */
const onlyRequired = (branch: unknown): string | null => {
  if (!isPlainObject(branch) || Object.keys(branch).length !== 1 || !Array.isArray(branch.required))
    return null;
  const [key, ...others] = branch.required;
  return typeof key === 'string' && others.length === 0 ? key : null;
};

const branchOf = ({ schemaPath }: ErrorObject, summary: ErrorObject): number =>
  Number.parseInt(schemaPath.slice(summary.schemaPath.length + 1), 10);

/** A value that tells branches apart, and the type of the whole, count for more than anything within one. */
const costOf = (errors: readonly ErrorObject[], { instancePath }: ErrorObject): number =>
  errors.reduce((cost, error) => {
    const isOther =
      error.keyword === 'const' || (error.keyword === 'type' && error.instancePath === instancePath);
    return cost + (isOther ? 100 : 1);
  }, 0);
