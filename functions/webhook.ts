import { openWebhook, serve } from '../lib/app/compose.ts';
import { createWebhookFunction } from '../lib/app/webhook-handler.ts';

export const handler = serve(createWebhookFunction(openWebhook()));
