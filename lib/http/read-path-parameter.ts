import { isPlainObject } from '@hookloom/plugin-kit';

/** A path parameter of a request, which the gateway has decoded exactly once; empty when there is none. */
export const readPathParameter = (event: unknown, name: string): string => {
  const { pathParameters } = isPlainObject(event) ? event : {};
  const value = isPlainObject(pathParameters) ? pathParameters[name] : undefined;
  return typeof value === 'string' ? value : '';
};
