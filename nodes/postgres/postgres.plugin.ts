import { definePlugin } from '@hookloom/plugin-kit';
import { postgres } from './postgres.ts';

/** PostgreSQL; the protocols are loaded on use, from work/. */
export default definePlugin({
  id: 'postgres',
  name: 'PostgreSQL',
  version: '1.0.0',
  description: 'Runs SQL on a PostgreSQL database, over its protocol or the RDS Data API',
  category: 'database',
  handles: [postgres],
});
