/** A route of an HTTP API and the function behind it. */
export interface Route {
  /** The route: `GET /path`, `* /path/{name}/{rest+}`, or `*` for all that have no other. */
  readonly event: string;
  /** The key of its function. */
  readonly functionKey: string;
  /** Whether the route has an authorizer on AWS. */
  readonly isPrivate?: boolean;
}

export interface RouteMatch {
  readonly functionKey: string;
  readonly isPrivate: boolean;
  /** The route in the form of API Gateway: `GET /path`, `ANY /path/{name}`, `$default`. */
  readonly routeKey: string;
  /** Parameters in the path, decoded exactly once. */
  readonly pathParameters: Readonly<Record<string, string>>;
}

/**
 * Finds the route of a request; null without one.
 * @param path - percent-encoded, without the query
 * @throws URIError when the path is not percent-encoded UTF-8
 */
export type FindRoute = (method: string, path: string) => RouteMatch | null;

interface Pattern {
  readonly functionKey: string;
  readonly isPrivate: boolean;
  readonly routeKey: string;
  /** The route's method, or `ANY`. */
  readonly method: string;
  readonly segments: readonly Segment[];
  /** The name of the greedy variable at the end. */
  readonly greedy: string | null;
}

type Segment = { readonly literal: string } | { readonly variable: string };

/**
 * Routes requests like an HTTP API: a full match before one with a greedy variable, `$default` last; among those,
 * literal segments before variables and a method before `ANY`. A variable matches one non-empty segment, a
 * greedy one at least one character. A path with a trailing slash is a different path.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-routes.html
 */
export const createRouter = (routes: readonly Route[]): FindRoute => {
  const patterns = routes.map(toPattern).sort(bySpecificity);
  return (method, path) => {
    const segments = path.split('/').slice(1);
    for (const pattern of patterns) {
      if (pattern.method !== 'ANY' && pattern.method !== method) continue;
      const pathParameters = matchRoute(pattern, path, segments);
      if (pathParameters === null) continue;
      const { functionKey, isPrivate, routeKey } = pattern;
      return { functionKey, isPrivate, routeKey, pathParameters };
    }
    return null;
  };
};

const DEFAULT_ROUTE = '$default';

const toPattern = ({ event, functionKey, isPrivate = false }: Route): Pattern => {
  const [first = '', path] = event.trim().split(/\s+/);
  if (path === undefined) {
    return { functionKey, isPrivate, routeKey: DEFAULT_ROUTE, method: 'ANY', segments: [], greedy: null };
  }
  const method = first === '*' ? 'ANY' : first.toUpperCase();
  const parts = path.split('/').slice(1);
  const greedy = /^\{(.+)\+\}$/.exec(parts.at(-1) ?? '')?.[1] ?? null;
  const segments = (greedy === null ? parts : parts.slice(0, -1)).map((part): Segment => {
    const variable = /^\{(.+)\}$/.exec(part)?.[1];
    return variable === undefined ? { literal: part } : { variable };
  });
  return { functionKey, isPrivate, routeKey: `${method} ${path}`, method, segments, greedy };
};

const isDefault = ({ routeKey }: Pattern): boolean => routeKey === DEFAULT_ROUTE;

/** Orders patterns, the most specific first. */
const bySpecificity = (a: Pattern, b: Pattern): number =>
  Number(isDefault(a)) - Number(isDefault(b)) ||
  Number(a.greedy !== null) - Number(b.greedy !== null) ||
  countLiterals(b) - countLiterals(a) ||
  Number(a.method === 'ANY') - Number(b.method === 'ANY');

const countLiterals = ({ segments }: Pattern): number =>
  segments.filter((segment) => 'literal' in segment).length;

const matchRoute = (
  pattern: Pattern,
  path: string,
  segments: readonly string[],
): Record<string, string> | null => {
  if (isDefault(pattern)) return {};
  if (!path.startsWith('/')) return null;
  const count = pattern.segments.length;
  if (pattern.greedy === null ? segments.length !== count : segments.length <= count) return null;
  const found: [string, string][] = [];
  for (const [at, segment] of pattern.segments.entries()) {
    const value = decodeURIComponent(segments[at] ?? '');
    if ('literal' in segment) {
      if (value !== segment.literal) return null;
    } else if (value === '') return null;
    else found.push([segment.variable, value]);
  }
  if (pattern.greedy !== null) {
    const rest = decodeURIComponent(segments.slice(count).join('/'));
    if (rest === '') return null;
    found.push([pattern.greedy, rest]);
  }
  return Object.fromEntries(found);
};
