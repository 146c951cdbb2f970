interface BodyRun {
  readonly nodeId: string;
  /** Prefix of the inner run, such as `each/0/3`; absent in the workflow's own run. */
  readonly within?: string | undefined;
  readonly status: string;
}

/**
 * Of the runs within bodies, one pass of each outermost body: the one with a failure, or else the last. A node that has run
 * several times in it, as in a body within the body, is there once. Runs of another workflow, which a node has run, are left
 * out: their nodes may have the ids of this one's.
 *
 * @param runs - of a record or a result, in their order
 * @param hasBody - whether the node of this id has a body
 */
export const findPasses = <Run extends BodyRun>(
  runs: readonly Run[],
  hasBody: (nodeId: string) => boolean,
): readonly Run[] => {
  const inner = runs.filter(
    ({ within, status }) =>
      within !== undefined &&
      HAS_RUN.has(status) &&
      within.split('/').every((part, at) => at % 3 !== 0 || hasBody(part)),
  );
  const byOwner = Map.groupBy(inner, ({ within = '' }) => within.split('/', 1)[0]);
  return [...byOwner.values()].flatMap((own) => {
    const pass = passOf(chooseRun(own));
    const ofPass = own.filter((run) => passOf(run) === pass);
    return [...Map.groupBy(ofPass, ({ nodeId }) => nodeId).values()].map(chooseRun);
  });
};

const HAS_RUN: ReadonlySet<string> = new Set(['succeeded', 'failed', 'passedThrough']);

/** The one that failed, or else the last. */
const chooseRun = <Run extends BodyRun>(runs: readonly Run[]): Run =>
  (runs.find(({ status }) => status === 'failed') ?? runs.at(-1)) as Run;

/** Node, iteration and number of the pass: `each/0/3`. */
const passOf = ({ within = '' }: BodyRun): string => within.split('/', 3).join('/');
