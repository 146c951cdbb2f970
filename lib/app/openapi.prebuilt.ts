import { describeApi } from './describe-api.ts';

export default Buffer.from(JSON.stringify(describeApi()));
