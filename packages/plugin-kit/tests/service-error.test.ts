import { describe, expect, test } from '@jest/globals';
import { CatalogueError, describeError } from '../contract/errors.ts';
import { isServiceError } from '../contract/service-error.ts';
import * as catalogue from '../contract/service-error-catalogue.ts';

const STORE_UNAVAILABLE = () => describeError('STORE_UNAVAILABLE', 503, 'Try again.');

describe('an error of services', () => {
  test.each(Object.values(catalogue))('is recognised (%#)', (entry) => {
    const error = new CatalogueError<string, never>(entry, {} as never);
    expect(isServiceError(error)).toBe(true);
  });

  test('is told from the others by its code', () => {
    const error = new CatalogueError(catalogue.FILE_NOT_FOUND, { name: 'a.pdf' });
    expect(isServiceError(error, 'FILE_NOT_FOUND')).toBe(true);
    expect(isServiceError(error, 'FILE_INVALID')).toBe(false);
  });
});

test.each([
  ['an error of the service itself', new CatalogueError(STORE_UNAVAILABLE, {})],
  ['an error that only has the code', Object.assign(new Error('no'), { code: 'OUTBOUND_FAILED' })],
  ['anything else', 'OUTBOUND_FAILED'],
])('%s is no error of services', (_, thrown) => {
  expect(isServiceError(thrown)).toBe(false);
});
