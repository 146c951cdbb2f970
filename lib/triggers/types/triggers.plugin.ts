import { definePlugin } from '@hookloom/plugin-kit';
import { errorTrigger } from './error-trigger.ts';
import { noticeTrigger } from './notice-trigger.ts';
import { queueTrigger } from './queue-trigger.ts';
import { scheduleTrigger } from './schedule-trigger.ts';

export default definePlugin({
  id: 'triggers',
  name: 'Triggers',
  version: '1.0.0',
  description: 'Starts workflows on schedules, messages, failures and notices',
  category: 'trigger',
  handles: [scheduleTrigger, queueTrigger, errorTrigger, noticeTrigger],
});
