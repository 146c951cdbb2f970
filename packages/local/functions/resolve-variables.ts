/** The values of serverless.yml's variables on this machine. */
export interface VariableSources {
  /** The parsed file: `${self:a.b}`. */
  readonly file: unknown;
  /** Value of `${sls:stage}`. */
  readonly stage: string;
  /** Values of `${env:NAME}`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Reads the file of `${file(./name.json):a.b}`. */
  readonly readJson: (path: string) => unknown;
}

/** Maximum number of replacements in a row, which stops circular references. */
const MAX_ROUNDS = 50;

/**
 * Replaces the Serverless Framework's variables in a string. Options of the command line (`opt:`) have no value here:
 * their fallbacks are used; parameters (`param:`) have those of the file.
 * https://www.serverless.com/framework/docs/guides/variables
 * @returns undefined when a variable has no value on this machine
 */
export const resolveVariables = (text: string, sources: VariableSources): string | undefined => {
  let resolved = text;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    // Innermost variables first. The pattern does not backtrack.
    const [whole, expression] = /\$\{([^${}]*)\}/.exec(resolved) ?? [];
    if (whole === undefined || expression === undefined) return resolved;
    const value = firstOf(expression.split(','), sources);
    if (value === undefined) return undefined;
    resolved = resolved.replace(whole, () => value);
  }
  return undefined;
};

const firstOf = (candidates: readonly string[], sources: VariableSources): string | undefined => {
  for (const candidate of candidates) {
    const value = lookUp(candidate.trim(), sources);
    if (value !== undefined) return value;
  }
  return undefined;
};

const lookUp = (candidate: string, sources: VariableSources): string | undefined => {
  const quoted = /^'([^']*)'$|^"([^"]*)"$/.exec(candidate);
  if (quoted !== null) return quoted[1] ?? quoted[2];
  const file = /^file\(([^)]+)\):(.+)$/.exec(candidate);
  if (file?.[1] !== undefined) return scalarToText(followPath(sources.readJson(file[1]), file[2] ?? ''));
  const [source, name = ''] = splitAtColon(candidate);
  switch (source) {
    case 'self':
      return scalarToText(followPath(sources.file, name));
    case 'param':
      return (
        scalarToText(followPath(sources.file, `params.${sources.stage}.${name}`)) ??
        scalarToText(followPath(sources.file, `params.default.${name}`))
      );
    case 'sls':
      return name === 'stage' ? sources.stage : undefined;
    case 'env':
      return sources.environment[name];
    default:
      return undefined;
  }
};

const splitAtColon = (text: string): readonly string[] => {
  const at = text.indexOf(':');
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
};

const followPath = (value: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (found, name) =>
        typeof found === 'object' && found !== null && Object.hasOwn(found, name)
          ? (found as Record<string, unknown>)[name]
          : undefined,
      value,
    );

const scalarToText = (value: unknown): string | undefined =>
  ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined;
