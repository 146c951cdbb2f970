// Loaded for workflows of which a share of a monthly limit is noted.
export { holdAtLimit } from './cost-limit.ts';
