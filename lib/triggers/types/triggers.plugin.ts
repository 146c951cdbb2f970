import { definePlugin } from '@hookloom/plugin-kit';
import { errorTrigger } from './error-trigger.ts';
import { queueTrigger } from './queue-trigger.ts';
import { scheduleTrigger } from './schedule-trigger.ts';

export default definePlugin({
  id: 'triggers',
  name: 'Triggers',
  version: '1.0.0',
  description: 'Starts workflows on schedules, messages and failures',
  category: 'trigger',
  handles: [scheduleTrigger, queueTrigger, errorTrigger],
});
