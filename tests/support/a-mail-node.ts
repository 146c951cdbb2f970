import type { JsonObject, LentCredential, NodeContext } from '@hookloom/plugin-kit';
import { lendCredential } from '@hookloom/plugin-kit/testing';
import { createTcpClient } from '../../lib/adapters/tcp-client/tcp-client.chunk.ts';
import { email } from '../../nodes/email/email.plugin.ts';
import { aNodeContext, runNode } from './a-node-context.ts';

/** The login of `ann` at a server of the test. */
export const anSmtpCredential = (
  port: number,
  changes: Readonly<Record<string, string>> = {},
): LentCredential =>
  lendCredential({
    type: 'smtp',
    fields: {
      host: '127.0.0.1',
      port: String(port),
      security: 'starttls',
      username: 'ann',
      password: 'right-password',
      ...changes,
    },
  });

/** A context that reaches the loopback interface. */
export const aMailContext = (changes: Partial<NodeContext> = {}): NodeContext => {
  const context = aNodeContext(changes);
  const tcp = createTcpClient({ allow: ['127.0.0.1'] });
  return { ...context, services: { ...context.services, tcp } };
};

/** A sound mail; a test spoils what it is about. */
export const theMail: JsonObject = {
  from: 'Shop <shop@example.com>',
  to: ['bob@example.com'],
  subject: 'Your order',
  text: 'Thank you.',
};

/** Runs the node with defaults filled in, as the engine does. */
export const sendMail = (
  changes: JsonObject,
  context: NodeContext,
  credential: LentCredential | null = context.credential,
) => runNode(email, 'email', { ...theMail, ...changes }, {}, { ...context, credential });
