import { definePlugin } from '@hookloom/plugin-kit';
import { rss } from './rss.ts';

export default definePlugin({
  id: 'rss',
  name: 'RSS',
  version: '1.0.0',
  description: 'Reads feeds',
  category: 'http',
  handles: [rss],
});
