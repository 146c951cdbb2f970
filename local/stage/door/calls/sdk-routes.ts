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
