import { definePlugin } from '@hookloom/plugin-kit';
import { slackAddReaction } from './slack-add-reaction.ts';
import { slackFindUser } from './slack-find-user.ts';
import { slackMessage } from './slack-message.ts';
import { slackUpdateMessage } from './slack-update-message.ts';
import { slackUploadFile } from './slack-upload-file.ts';
import { slackWebhook } from './slack-webhook.ts';

export default definePlugin({
  id: 'slack',
  name: 'Slack',
  version: '1.0.0',
  description: 'Posts messages and files to Slack, and finds users',
  category: 'chat',
  handles: [slackMessage, slackUpdateMessage, slackAddReaction, slackFindUser, slackUploadFile, slackWebhook],
});
