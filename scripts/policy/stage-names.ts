/** The names in serverless.yml that patterns are made of. */
export interface NamesOfService {
  /** Keys of the functions, and what starts them: `schedule`, `sqs`, `stream` … */
  readonly functions: readonly { readonly key: string; readonly startedBy: readonly string[] }[];
  /** Names of the tables, after the stage's, and whether a table has indexes or a stream. */
  readonly tables: readonly { readonly name: string; readonly hasParts: boolean }[];
}

/**
 * What stands for `{…}` in a pattern of an ARN, so that together they match the names of one stage, and none of a stage whose name
 * begins with it and a dash: before a `*` stands a capital letter, which no stage has after a dash, or an exact name.
 */
export const expandNames = ({
  functions,
  tables,
}: NamesOfService): Readonly<Record<string, readonly string[]>> => {
  const keys = functions.map(({ key }) => key);
  const keysOf = (...events: readonly string[]): readonly string[] =>
    functions.filter(({ startedBy }) => startedBy.some((one) => events.includes(one))).map(({ key }) => key);
  const scheduled = keysOf('schedule');
  return {
    function: unique(keys.flatMap((key) => toCapital(key) ?? [key, `${key}:*`])),
    scheduled,
    mapped: keysOf('sqs', 'stream'),
    table: tables.flatMap(({ name, hasParts }) => (hasParts ? [name, `${name}/*`] : [name])),
    Role: unique(['WorkflowRole', ...keys].map((name) => `${name.charAt(0).toUpperCase()}*`)),
    Scheduled: unique(scheduled.map((name) => `${name.charAt(0).toUpperCase()}*`)),
  };
};

const unique = (names: readonly string[]): readonly string[] => [...new Set(names)].sort();

/** The pattern of names that are the same up to the first capital letter: `adminE*`; null if there is none. */
const toCapital = (key: string): string | null => {
  const start = /^[^A-Z]*[A-Z]/.exec(key)?.[0];
  return start === undefined ? null : `${start}*`;
};
