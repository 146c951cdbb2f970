import { NodeError } from '@hookloom/plugin-kit';
import { nodeTypeChecks, runNode } from '@hookloom/plugin-kit/testing';
import { describe, expect, test } from '@jest/globals';
import { email } from '../../../nodes/email/email.plugin.ts';
import { theMail } from '../../support/a-mail-node.ts';

const overSes = { ...theMail, via: 'ses', region: 'eu-west-1', bcc: ['hidden@example.com'] };

describe('email', () => {
  const aws = () => ({ MessageId: 'ses-1' });
  for (const { name, run } of nodeTypeChecks(email, { parameters: overSes, aws })) test(name, run);
});

describe('a mail through SES', () => {
  test('is one call with the whole message', async () => {
    const { outputs, calls } = await runNode(email, {
      parameters: overSes,
      aws: () => ({ MessageId: 'ses-1' }),
    });
    expect(outputs.main).toEqual({
      messageId: 'ses-1',
      accepted: ['bob@example.com', 'hidden@example.com'],
      rejected: [],
    });
    expect(calls).toEqual([
      {
        service: 'sesv2',
        operation: 'SendEmail',
        region: 'eu-west-1',
        input: {
          Destination: { ToAddresses: ['bob@example.com', 'hidden@example.com'] },
          Content: { Raw: { Data: expect.any(Uint8Array) } },
        },
      },
    ]);
    const { Content } = (calls[0]?.input ?? {}) as { Content: { Raw: { Data: Uint8Array } } };
    const text = Buffer.from(Content.Raw.Data).toString();
    expect(text).toContain('From: Shop <shop@example.com>\r\n');
    expect(text).toContain('Thank you.');
    expect(text).not.toContain('hidden@');
  });

  test('refuses a mail server login', async () => {
    const credential = { type: 'smtp', fields: { password: 'a-password' } };
    await expect(runNode(email, { parameters: overSes, credential })).rejects.toMatchObject({
      name: 'CredentialUnusable',
      message: 'via: ses takes a credential of the type awsRole, or none',
    });
  });

  test('fails with the error of AWS', async () => {
    const rejected = new NodeError('not verified', { name: 'MessageRejected', isRetryable: false });
    await expect(runNode(email, { parameters: overSes, aws: () => rejected })).rejects.toBe(rejected);
  });

  test('fails with a file’s error, and makes no call', async () => {
    const attachment = {
      $file: 'gone',
      name: 'a',
      mediaType: 'text/plain',
      size: 3,
      sha256: '0'.repeat(64),
    };
    const run = runNode(email, { parameters: { ...overSes, attachments: [attachment] } });
    await expect(run).rejects.toThrow(/gone|file/i);
  });

  test('declares the call whose permission it needs; SMTP needs none', () => {
    expect(email.awsCalls?.(overSes)).toEqual([
      {
        service: 'sesv2',
        operation: 'SendEmail',
        input: { FromEmailAddress: 'Shop <shop@example.com>' },
        region: 'eu-west-1',
      },
    ]);
    expect(email.awsCalls?.(theMail)).toEqual([]);
  });
});
