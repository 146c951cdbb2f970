/** A REST operation with its route, as in the SDK's model of the service. */
interface RestOperation {
  readonly operation: string;
  readonly method: string;
  /** The segments of the route; null in place of one that matches any text. */
  readonly parts: readonly Part[];
  /** Query parameters that distinguish operations with the same path; null for any value. */
  readonly query: ReadonlyMap<string, string | null>;
}

interface Part {
  /** Name of the parameter; null for literal text. */
  readonly parameter: string | null;
  readonly text: string;
  /** Whether the parameter matches the rest of the path. */
  readonly isGreedy: boolean;
}

interface FoundOperation {
  readonly operation: string;
  /** Parameters in the path, decoded. */
  readonly parameters: Readonly<Record<string, string>>;
}

type FindOperation = (method: string, path: string, query: URLSearchParams) => FoundOperation | null;

/** Methods with their path: `GET /schedules/{Name}`, `PUT /{Key+}?tagging`. */
export const createFindOperation = (routes: Readonly<Record<string, string>>): FindOperation => {
  const operations = Object.entries(routes)
    .map(([operation, route]) => toOperation(operation, route))
    // Operations with the most query parameters come first, then those with the fewest path variables.
    .sort((one, other) => other.query.size - one.query.size || weighOperation(one) - weighOperation(other));
  return (method, path, query) => {
    for (const candidate of operations) {
      if (candidate.method !== method) continue;
      const isAsked = [...candidate.query].every(
        ([name, value]) => query.has(name) && (value === null || query.get(name) === value),
      );
      const parameters = isAsked ? matchParts(candidate.parts, path) : null;
      if (parameters !== null) return { operation: candidate.operation, parameters };
    }
    return null;
  };
};

const weighOperation = ({ parts }: RestOperation): number =>
  parts.filter(({ parameter }) => parameter !== null).length;

const toOperation = (operation: string, route: string): RestOperation => {
  const [method = '', target = ''] = route.split(' ');
  const [path = '', search = ''] = target.split('?');
  const pairs = search === '' ? [] : search.split('&').map((pair) => pair.split('='));
  return {
    operation,
    method,
    parts: path.slice(1).split('/').map(toPathPart),
    query: new Map(pairs.map(([name = '', value]) => [name, value ?? null])),
  };
};

const toPathPart = (text: string): Part => {
  const [, parameter, greedy] = /^\{(\w+)(\+?)\}$/.exec(text) ?? [];
  return { parameter: parameter ?? null, text, isGreedy: greedy === '+' };
};

const matchParts = (parts: readonly Part[], path: string): Readonly<Record<string, string>> | null => {
  const given = path.slice(1).split('/');
  const parameters: Record<string, string> = {};
  for (const [at, { parameter, text, isGreedy }] of parts.entries()) {
    const value = isGreedy ? given.slice(at).join('/') : given[at];
    if (value === undefined || (parameter === null && value !== text) || (parameter !== null && value === ''))
      return null;
    if (parameter !== null) parameters[parameter] = decodePart(value);
    if (isGreedy) return parameters;
  }
  return given.length === parts.length ? parameters : null;
};

/** Decodes a segment; badly encoded text stays unchanged. */
const decodePart = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** A schema of the SDK that stands for an operation: `[9, namespace, name, traits, input, output]`. */
const OPERATION = 9;

/** The routes of a service's operations, read from the client of the SDK: `GET /2015-03-31/functions`. */
export const readSdkRoutes = (client: object): Record<string, string> => {
  const schemas = Object.values(client).filter(
    (value) => Array.isArray(value) && value[0] === OPERATION && typeof value[2] === 'string',
  );
  const routes = schemas.map(([, , name, traits]): [string, string] => {
    const [method, target] = traits.http;
    return [name, `${method} ${target}`];
  });
  if (routes.length === 0) throw new Error('the SDK client has no operations with a route');
  return Object.fromEntries(routes);
};
