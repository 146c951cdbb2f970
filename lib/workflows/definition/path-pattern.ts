/** Whether a segment of a path is a parameter: `:id` for one segment, `*rest` for all that follow. */
const isParameter = (segment: string | undefined): boolean => /^[:*]/.test(segment ?? '');

/** The segments of a path with parameters; null for a literal path. @param path - with its leading slash */
export const toPattern = (path: string): readonly string[] | null => {
  const segments = path.slice(1).split('/');
  return segments.some(isParameter) ? segments : null;
};

/** Orders patterns, more specific first: by more literal segments, then by having no `*rest`, then by more segments. */
export const compareSpecificity = (a: readonly string[], b: readonly string[]): number =>
  countLiterals(b) - countLiterals(a) || Number(takesRest(a)) - Number(takesRest(b)) || b.length - a.length;

/** Whether some path matches both patterns, and neither is more specific. */
export const areAmbiguous = (a: readonly string[], b: readonly string[]): boolean =>
  compareSpecificity(a, b) === 0 &&
  a.every((segment, at) => isParameter(segment) || isParameter(b[at]) || segment === b[at]);

const countLiterals = (pattern: readonly string[]): number =>
  pattern.filter((segment) => !isParameter(segment)).length;

const takesRest = (pattern: readonly string[]): boolean => pattern.at(-1)?.startsWith('*') ?? false;

/** Matches the name of a parameter: no leading underscore, so that `__proto__` is not one. */
const PARAMETER = /^[:*][A-Za-z]\w*$/;

/** Matches segments that are parameters in other tools' syntax; a lone `*` is a parameter without a name. */
const FOREIGN_PARAMETER = /^(?:\{([^{}]*)\}|<([^<>]*)>|\[([^[\]]*)\])$/;

/** What is wrong with the parameters in a path, or null. @param path - with its leading slash */
export const findPatternProblem = (path: string): string | null => {
  const segments = path.slice(1).split('/');
  const names = segments.filter(isParameter).map((segment) => segment.slice(1));
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  for (const [at, segment] of segments.entries()) {
    const quoted = JSON.stringify(segment.slice(0, 80));
    const foreign = FOREIGN_PARAMETER.exec(segment);
    if (foreign !== null) {
      const name = foreign.slice(1).find((group) => /^[A-Za-z]\w*$/.test(group ?? '')) ?? 'id';
      return `${quoted} would be taken literally: write :${name} for one segment, *${name} for all following segments`;
    }
    if (!isParameter(segment)) continue;
    if (/^\*+$/.test(segment))
      return `${quoted} has no name: write *rest for all following segments, :id for one segment`;
    if (!PARAMETER.test(segment))
      return `${quoted} is not a parameter: a name is a letter followed by letters, digits and _, up to the next slash`;
    if (segment.startsWith('*') && at < segments.length - 1)
      return `${quoted} matches everything that follows, so it must be the last segment`;
  }
  return twice === undefined ? null : `has two parameters named ${JSON.stringify(twice.slice(0, 80))}`;
};
