import { definePlugin } from '@hookloom/plugin-kit';
import {
  slackAddReaction,
  slackFindUser,
  slackMessage,
  slackUpdateMessage,
  slackWebhook,
} from './messages.ts';
import { slackUploadFile } from './upload-file.ts';

export default definePlugin({
  id: 'slack',
  name: 'Slack',
  version: '1.0.0',
  description: 'Posts messages and files to Slack, and finds users',
  category: 'chat',
  handles: [slackMessage, slackUpdateMessage, slackAddReaction, slackFindUser, slackUploadFile, slackWebhook],
});
