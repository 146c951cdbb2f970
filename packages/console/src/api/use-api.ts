import {
  hashKey,
  QueryClient,
  type UseInfiniteQueryResult,
  type UseMutationResult,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useId, useMemo } from 'react';
import { type Call, callApi, Problem } from './api.ts';
import type { Answer, RouteKey } from './routes.ts';

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 1_000,
      // A refusal stays one; a fault may pass.
      retry: (count, error) =>
        count < 2 && error instanceof Problem && (error.status === 429 || error.status >= 500),
      refetchOnWindowFocus: true,
    },
  },
});

type Asked = Pick<Call, 'params' | 'query'>;

interface Options {
  /** Milliseconds until it is asked again; absent to ask once. */
  readonly everyMs?: number | false;
  /** Whether to ask at all. */
  readonly isOn?: boolean;
}

/** The routes whose answers are data. Two of them are no GET, so that readers can't call them. */
type DataKey =
  | (RouteKey & `GET ${string}`)
  | 'POST /api/admin/approvals/addresses'
  | 'POST /api/admin/plugins/health/live';

/** Data of the API, asked for again while it is shown if `everyMs` says so. */
export const useApi = <Key extends DataKey>(
  key: Key,
  { params, query }: Asked = {},
  { everyMs = false, isOn = true }: Options = {},
): UseQueryResult<Answer<Key>, Error> =>
  useQuery<Answer<Key>, Error>({
    queryKey: [key, params, query],
    queryFn: ({ signal }) => callApi(key, { ...(params && { params }), ...(query && { query }), signal }),
    refetchInterval: everyMs,
    enabled: isOn,
    ...(everyMs === false ? {} : { staleTime: 0 }),
  });

/** Pages of a list of the API, each asked for when it is wanted. */
export const useApiPages = <Key extends RouteKey & `GET ${string}`>(
  key: Key,
  { params, query }: Asked = {},
): UseInfiniteQueryResult<readonly Answer<Key>[], Error> =>
  useInfiniteQuery({
    queryKey: [key, params, query, 'pages'],
    queryFn: ({ signal, pageParam }) =>
      callApi(key, { ...(params && { params }), query: { ...query, cursor: pageParam }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page: Answer<Key>) =>
      (page as { readonly nextCursor?: string | null }).nextCursor ?? null,
    select: ({ pages }): readonly Answer<Key>[] => pages,
  });

/**
 * The idempotency key of a change, as long as what is sent stays the same: another try after an answer was lost changes nothing
 * more.
 */
export const useIdempotencyKey = (sent: unknown): string => {
  const content = JSON.stringify(sent);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another key for another content
  return useMemo(() => crypto.randomUUID(), [content]);
};

/** A change, as far as a dialog needs it. */
export interface Change<Changed> {
  readonly isPending: boolean;
  readonly error: Error | null;
  mutate(call: Call, outcome: { onSuccess(changed: Changed): void }): void;
}

/**
 * A change through the API. Then all that is shown is asked for again, except for what was removed; the outcome of the change
 * does not wait for that. A second click while it is on its way changes nothing more.
 */
export const useChange = <Key extends RouteKey>(key: Key): UseMutationResult<Answer<Key>, Error, Call> => {
  const client = useQueryClient();
  const mutationKey = [useId()];
  const change = useMutation<Answer<Key>, Error, Call>({
    mutationKey,
    mutationFn: (call: Call) => callApi(key, call),
    onSettled: (_, error, { params }) => {
      const gone = error === null && key.startsWith('DELETE ') ? key.replace('DELETE', 'GET') : null;
      const removed = gone === null ? null : hashKey([gone, params]);
      void client.invalidateQueries({
        predicate: ({ queryKey: [asked, askedParams] }) => hashKey([asked, askedParams]) !== removed,
      });
    },
  });
  const mutate: typeof change.mutate = (...given) => {
    if (client.isMutating({ mutationKey }) === 0) change.mutate(...given);
  };
  return { ...change, mutate };
};
