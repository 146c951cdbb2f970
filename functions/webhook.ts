import { serve } from '../lib/app/compose.ts';
import { openWebhook } from '../lib/app/compose-webhook.ts';
import { createWebhookFunction } from '../lib/app/webhook-handler.ts';

export const handler = serve(createWebhookFunction(openWebhook()));
