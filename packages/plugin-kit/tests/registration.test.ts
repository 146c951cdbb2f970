import { expect, test } from '@jest/globals';
import { isRegistrationRefused, RegistrationRefused } from '../contract/registration.ts';

test('a refusal from another copy of the kit is recognised, and names its parameter', async () => {
  const path: string = '../contract/registration.ts?copy';
  const copy: typeof import('../contract/registration.ts') = await import(path);
  const error = new copy.RegistrationRefused('there is no such tone', '/tone');
  expect(error).not.toBeInstanceOf(RegistrationRefused);
  expect(isRegistrationRefused(error) && error.path).toBe('/tone');
  expect(isRegistrationRefused(new Error('there is no such tone'))).toBe(false);
});
