import { defineAction, Type } from '@hookloom/plugin-kit';
import { baseUrl, credentials } from './parameters.ts';

export const slackFindUser = defineAction({
  id: 'slackFindUser',
  name: 'Slack user',
  description:
    'Finds a user of Slack by e-mail address, as slackMessage takes it for a direct message. Puts out { user }, null when there is none',
  parameters: Type.Object({
    email: Type.String({
      minLength: 3,
      maxLength: 320,
      format: 'email',
      description: 'E-mail address of the user',
    }),
    baseUrl,
  }),
  credentials,
  example: {
    parameters: { email: '{{ customer.email }}' },
    input: { customer: { email: 'ann@example.com' } },
    output: {
      user: {
        id: 'U0123456789',
        name: 'ann',
        realName: 'Ann Smith',
        displayName: 'Ann',
        email: 'ann@example.com',
        timeZone: 'Europe/London',
        isBot: false,
        isDeleted: false,
      },
    },
  },
  execute: async ({ parameters, context }) => {
    const { findUser } = await import('./web-api.chunk.ts');
    return findUser(parameters, context);
  },
});
