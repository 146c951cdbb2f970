import { isPlainObject } from '@hookloom/plugin-kit';
import type { ErrorObject } from 'ajv';

/**
 * Reduces the errors of `oneOf` and `anyOf`, of which ajv reports those of every branch, to the errors of the branch
 * with the fewest. Branches that only require a key become one error, `needsOne` or `takesOne` with `params.keys`.
 * @param isUnknown - selects errors about values that are known in a run only, to ignore them
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
      kept.push(error); // without `if`, whose `then` or `else` has an error of its own
    }
  }
  return kept;
};

/** Removes and returns the errors of the branches, which precede the error of `oneOf` or `anyOf`. */
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
  // Errors behind a `$ref` have paths of their own, so their branch is not known.
  if (branches.some((branch) => isPlainObject(branch) && '$ref' in branch)) return [...found, summary];
  const byBranch = Map.groupBy(found, (error) => branchOf(error, summary));
  // A branch without errors matches, apart from values that are known in a run only.
  if (branches.some((_, index) => !byBranch.has(index))) return [];
  return [...byBranch.values()].reduce((best, errors) =>
    costOf(errors, summary) < costOf(best, summary) ? errors : best,
  );
};

/** The key of a branch that only requires one key, else null. */
const onlyRequired = (branch: unknown): string | null => {
  if (!isPlainObject(branch) || Object.keys(branch).length !== 1 || !Array.isArray(branch.required))
    return null;
  const [key, ...others] = branch.required;
  return typeof key === 'string' && others.length === 0 ? key : null;
};

const branchOf = ({ schemaPath }: ErrorObject, summary: ErrorObject): number =>
  Number.parseInt(schemaPath.slice(summary.schemaPath.length + 1), 10);

/** Cost of a branch. A wrong `const`, or a wrong type of the whole value, means that another branch was meant. */
const costOf = (errors: readonly ErrorObject[], { instancePath }: ErrorObject): number =>
  errors.reduce((cost, error) => {
    const isOther =
      error.keyword === 'const' || (error.keyword === 'type' && error.instancePath === instancePath);
    return cost + (isOther ? 100 : 1);
  }, 0);
