import type { Mistake } from '@hookloom/bounded-schema';
import { isPlainObject } from '@hookloom/plugin-kit';

/** The keys of the branches, for `needsOne` and `takesOne`. */
export interface ReducedMistake extends Mistake {
  readonly keys?: readonly (string | null)[];
}

/**
 * Reduces the mistakes of `oneOf` and `anyOf`, which are found for every branch, to those of the best match.
 * Branches that only require a key become one mistake, `needsOne` or `takesOne` with `keys`.
 *
 * @param isUnknown - selects errors to ignore: those about values known only at run time
 */
export const reduceBranches = (
  errors: readonly Mistake[],
  isUnknown: (error: Mistake) => boolean,
): ReducedMistake[] => {
  const kept: ReducedMistake[] = [];
  for (const error of errors) {
    if (error.keyword === 'oneOf' || error.keyword === 'anyOf') {
      const found = takeBranchErrors(kept, error);
      if (!isUnknown(error)) kept.push(...chooseBranch(error, found));
    } else if (!isUnknown(error)) {
      kept.push(error);
    }
  }
  return kept;
};

/** Removes and returns the errors of the branches, which precede the error of `oneOf` or `anyOf`. */
const takeBranchErrors = (kept: ReducedMistake[], { keywordPlace, place }: Mistake): ReducedMistake[] => {
  const isOfBranch = (error: Mistake): boolean =>
    error.keywordPlace.startsWith(`${keywordPlace}/`) &&
    (error.place === place || error.place.startsWith(`${place}/`));
  const start = kept.findLastIndex((error) => !isOfBranch(error)) + 1;
  return kept.splice(start);
};

const chooseBranch = (summary: Mistake, found: readonly ReducedMistake[]): readonly ReducedMistake[] => {
  const branches: readonly unknown[] = Array.isArray(summary.limit) ? summary.limit : [];
  const keys = branches.map(onlyRequired);
  const isOfKeys = keys.every((key) => key !== null);
  if (summary.matches > 0) {
    return [isOfKeys ? { ...summary, keyword: 'takesOne', keys } : summary];
  }
  if (isOfKeys) return [{ ...summary, keyword: 'needsOne', keys }];
  const byBranch = Map.groupBy(found, (error) => branchOf(error, summary));
  // A branch without errors matches, apart from values known only at run time.
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

const branchOf = ({ keywordPlace }: Mistake, summary: Mistake): number =>
  Number.parseInt(keywordPlace.slice(summary.keywordPlace.length + 1), 10);

/**
 * Cost of a branch, for choosing the best match. A wrong `const`, or a wrong type of the whole value, means that
 * another branch was intended.
 */
const costOf = (errors: readonly Mistake[], { place }: Mistake): number =>
  errors.reduce((cost, error) => {
    const isOther = error.keyword === 'const' || (error.keyword === 'type' && error.place === place);
    return cost + (isOther ? 100 : 1);
  }, 0);
