import { isPlainObject } from '@hookloom/plugin-kit';

/** A path parameter of a request, decoded exactly once by the gateway; empty if missing. */
export const readPathParameter = (event: unknown, name: string): string => {
  const { pathParameters } = isPlainObject(event) ? event : {};
  const value = isPlainObject(pathParameters) ? pathParameters[name] : undefined;
  return typeof value === 'string' ? value : '';
};
