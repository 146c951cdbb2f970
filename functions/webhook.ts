import { openWebhook } from '../lib/app/compose/webhook.ts';
import { serve } from '../lib/app/sandbox.ts';
import { createWebhookFunction } from '../lib/app/webhook-handler.ts';
import { installedPlugins } from '../nodes/installed.ts';

export const handler = serve(createWebhookFunction(openWebhook(installedPlugins)));
