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

/** Headers of the request that started an execution, with its own id as the root unless another execution is. */
export const withRoot = (headers: Headers, executionId: string): Headers => {
  const { depth, root } = readCall(headers);
  return { ...headers, [DEPTH_HEADER]: `${depth}/${root ?? executionId}` };
};

/** The value of {@link DEPTH_HEADER} in a call. @param headers - of the request that started the calling execution */
export const toNextCall = (headers: Headers): string => {
  const { depth, root } = readCall(headers);
  return `${depth + 1}${root === null ? '' : `/${root}`}`;
};
