import { definePlugin } from '@hookloom/plugin-kit';
import { graphql } from './graphql.ts';

export default definePlugin({
  id: 'graphql',
  name: 'GraphQL',
  version: '1.0.0',
  description: 'Calls GraphQL APIs',
  category: 'http',
  handles: [graphql],
});
