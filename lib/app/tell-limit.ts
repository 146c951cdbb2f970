import type { Clock, Logger } from '@hookloom/plugin-kit';
import type { LimitNews } from '../executions/statistics/watch-limits.ts';
import type { Notices } from '../health/notices/notice.ts';

/** Raises and settles notices, and logs, when a workflow has reached a share of its `maxCostPerMonth`. */
export const createTellLimit =
  (notices: Notices, { clock, logger }: { readonly clock: Clock; readonly logger: Logger }) =>
  async (news: LimitNews): Promise<void> => {
    const { workflowId, share, isReached, dollars, limit } = news;
    const notice = {
      kind: 'cost',
      subject: `workflow:${workflowId}`,
      cause: share === 100 ? 'maxCostPerMonth is reached' : `${share} % of maxCostPerMonth`,
    } as const;
    const at = clock.now();
    if (!isReached) return notices.settle(notice, at);
    const message = toMessage(news);
    logger.warn(message, { workflowId, dollars, limit });
    return notices.raise({ ...notice, message, at });
  };

const toMessage = ({ workflowId, share, dollars, limit, until }: LimitNews): string => {
  const cost = `The executions of ${workflowId} have cost $${dollars >= 1 ? dollars.toFixed(2) : dollars.toPrecision(2)} this month`;
  const end = new Date(until).toISOString().slice(0, DATE_LENGTH);
  return share === 100
    ? `${cost}, which reaches its maxCostPerMonth of $${limit}: what its triggers receive is stored, and runs from ${end} on, or once the limit is raised or removed.`
    : `${cost}, ${share} % of its maxCostPerMonth of $${limit}. When it is reached, its triggers are held until ${end}.`;
};

/** Of `2026-12-01`. */
const DATE_LENGTH = 10;
