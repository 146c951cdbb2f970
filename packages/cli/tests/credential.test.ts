import { describe, expect, test } from '@jest/globals';
import { useCommandLine } from '../../../tests/support/a-command-line.ts';

const openCommandLine = useCommandLine();

describe('credential create', () => {
  test('prints the new key once, and nothing else', async () => {
    const { call, stores } = await openCommandLine();
    const { code, out } = await call('credential create key --type apiKey');
    expect(code).toBe(0);
    expect(out).toMatch(/^[\w-]{43}$/);
    const stored = JSON.stringify(await stores.credentials.find('key'));
    for (const text of [
      stored,
      (await call('credential list')).out,
      (await call('credential list --json')).out,
    ]) {
      expect(text).toContain('key');
      expect(text).not.toContain(out);
    }
    expect((await call('credential list --json')).out).not.toContain('hash');
  });

  test('takes a password from standard input, and does not print it', async () => {
    const { call } = await openCommandLine();
    const made = await call(
      'credential create b --type basic --username ann --password-stdin',
      'long enough\n',
    );
    expect(made).toMatchObject({ code: 0, out: '' });
    expect(made.err).not.toContain('long enough');
    expect((await call('credential list')).out).toMatch(/^b +basic +callers as ann +- +live: 1$/m);
  });

  test.each([
    ['create a/b --type apiKey', 2, '"a/b" is not an id'],
    ['create key --type basic --username a:b', 2, "A user name can't contain a colon"],
    [
      'create key --type basic --username a --password-stdin',
      1,
      'basic: password needs at least 8 characters',
    ],
    ['rotate key', 1, 'There is no credential key.'],
    ['revoke key 1', 1, 'There is no credential key.'],
  ])('%s is refused with exit code %d', async (command, code, message) => {
    const { call } = await openCommandLine();
    const result = await call(`credential ${command}`, 'short');
    expect(result.code).toBe(code);
    expect(result.err).toContain(message);
    expect((await call('credential list')).err).toBe('There are no credentials.');
  });

  test('refuses an existing id', async () => {
    const { call } = await openCommandLine();
    await call('credential create key --type apiKey');
    expect(await call('credential create key --type apiKey')).toMatchObject({
      code: 1,
      err: 'The credential key already exists; rotate it, or choose another id.',
    });
  });
});

describe('a credential', () => {
  test('expires when it is said to, in the list and where it is shown', async () => {
    const { call } = await openCommandLine();
    await call('credential create key --type apiKey --expires 2027-01-31');
    expect((await call('credential list')).out).toMatch(/^key +apiKey +callers +2027-01-31 +live: 1$/m);
    expect((await call('credential show key')).out).toMatch(/^ {2}expires +2027-01-31$/m);
    await call('credential rotate key --expires 2028-01-31T09:00:00Z');
    expect((await call('credential list')).out).toContain(' 2028-01-31T09:00:00.000Z ');
    const wrong = await call('credential rotate key --expires soon');
    expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining('must be a time such as') });
    await call('variable set rate 5 --expires 2027-01-31');
    expect((await call('variable list')).out).toMatch(/^rate +string +5 +2027-01-31 +-$/m);
  });

  test('is rotated and revoked', async () => {
    const { call } = await openCommandLine();
    const first = await call('credential create key --type apiKey');
    const second = await call('credential rotate key');
    expect(second).toMatchObject({ code: 0, err: expect.stringContaining('secret 2 is live, 2 in total') });
    expect(second.out).not.toBe(first.out);
    expect(await call('credential revoke key 9')).toMatchObject({
      code: 1,
      err: 'key has no secret 9; its live secrets are: 1, 2.',
    });
    expect(await call('credential revoke key 1 2')).toMatchObject({ code: 2, out: '' });
    expect((await call('credential list')).out).toContain('live: 1, 2');
    expect(await call('credential revoke key 1')).toMatchObject({ code: 0, out: 'key: 1 live secrets' });
    const all = await call('credential revoke key --all');
    expect(all).toMatchObject({
      code: 0,
      out: 'key: 0 live secrets',
      err: expect.stringContaining('It authenticates no callers now'),
    });
    expect(await call('credential rotate key --password-stdin')).toMatchObject({ code: 2 });
  });

  test('has a limited number of secrets, and says what to do beyond it', async () => {
    const { call } = await openCommandLine();
    await call('credential create key --type apiKey');
    for (let count = 1; count < 5; count++) await call('credential rotate key');
    expect(await call('credential rotate key')).toMatchObject({
      code: 1,
      err: 'key has 5 live secrets; revoke one first.',
    });
  });
});
