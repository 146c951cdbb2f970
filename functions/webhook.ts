import { serve } from '../lib/app.ts';
import { openWebhook } from '../lib/webhook-app.ts';
import { createWebhookFunction } from '../lib/webhook-function.ts';

export const handler = serve(createWebhookFunction(openWebhook()));
