import { definePlugin } from '@hookloom/plugin-kit';
import { aws } from './aws.ts';

/** The node that calls services of AWS by the SDK. */
export default definePlugin({
  id: 'aws',
  name: 'AWS',
  version: '1.0.0',
  description: 'Calls any operation of any AWS service',
  category: 'aws',
  handles: [aws],
});
