/**
 * The header of an execution's call to its own service: `DEPTH/ROOT`. It says how many executions in a row have done so, and
 * which one was the first.
 */
export const DEPTH_HEADER = 'hookloom-depth';

type Headers = Readonly<Record<string, unknown>>;

interface Call {
  /** 0 for a request from elsewhere. */
  readonly depth: number;
  /** Id of the first execution; null for a request from elsewhere. */
  readonly root: string | null;
}

/** Reads {@link DEPTH_HEADER}. */
export const readCall = (headers: Headers): Call => {
  const [, depth = 0, root = null] =
    /^(\d{1,3})(?:\/([\w-]{1,64}))?$/.exec(String(headers[DEPTH_HEADER] ?? '')) ?? [];
  return { depth: Number(depth), root };
};

/**
 * The value of {@link DEPTH_HEADER} in a call.
 *
 * @param headers - of the request that started the calling execution
 * @param executionId - of the calling execution; null for a call of none
 */
export const toNextCall = (headers: Headers, executionId: string | null): string => {
  const { depth, root } = readCall(headers);
  return [depth + 1, root ?? executionId ?? []].flat().join('/');
};
