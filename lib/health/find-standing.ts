import type { Clock, Logger } from '@hookloom/plugin-kit';
import { workThrough } from '../shared/work-through.ts';
import type { NoticeIdentity, Notices } from './notices/notice.ts';
import { type FactPorts, readFacts } from './silence/read-facts.ts';
import { findSilences, type Silence } from './silence/silence-rules.ts';
import type { WatchedWorkflow } from './silence/watch-workflows.ts';
import type { StandingStore } from './standing-store.ts';

export interface StandingParts extends FactPorts {
  readonly standing: StandingStore;
  readonly notices: Notices;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Logger;
}

/** How many workflows are looked at concurrently. */
const WORKFLOWS_AT_ONCE = 5;

const DAY_MS = 86_400_000;

/** All have room in an item; what was found first is kept. */
const MAX_SILENCES = 200;

/**
 * Looks for silence in the watched workflows, and raises and settles notices for what has changed. Nothing is written if
 * nothing has.
 *
 * @param hasTime - whether there is time for another workflow; what is known of the others remains
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const findStanding = async (
  watched: readonly WatchedWorkflow[],
  { standing, notices, clock, logger, ...ports }: StandingParts,
  hasTime: () => boolean = () => true,
): Promise<void> => {
  const before = await standing.find();
  const now = clock.now();
  const isDaily = now - before.historyReadAt >= DAY_MS;
  const found = new Map<string, readonly Silence[]>();
  const ofWorkflow = ({ id }: WatchedWorkflow) =>
    before.silences.filter(({ workflowId }) => workflowId === id);
  const isWhole = await workThrough(
    watched,
    { atOnce: WORKFLOWS_AT_ONCE, mayGoOn: hasTime },
    async (workflow) => {
      const open = ofWorkflow(workflow);
      try {
        const readsHistory = isDaily || open.some(({ rule }) => rule === 'quiet');
        const facts = await readFacts(workflow, readsHistory, ports, now);
        found.set(workflow.id, findSilences(facts, open, now));
      } catch (cause) {
        logger.warn('Whether a workflow is silent could not be found out.', {
          workflowId: workflow.id,
          cause,
        });
      }
    },
  );
  const all = watched.flatMap((workflow) => found.get(workflow.id) ?? ofWorkflow(workflow));
  const silences = oldestFirst(all).slice(0, MAX_SILENCES);
  for (const silence of silences)
    if (!before.silences.some((one) => isSame(one, silence)))
      await notices.raise({ ...toNotice(silence), message: silence.message, at: now });
  for (const silence of before.silences)
    if (!silences.some((one) => isSame(one, silence))) await notices.settle(toNotice(silence), now);
  const after = { silences, historyReadAt: isDaily && isWhole ? now : before.historyReadAt };
  if (JSON.stringify(after) !== JSON.stringify(before)) await standing.put(after);
};

const oldestFirst = (silences: readonly Silence[]): readonly Silence[] =>
  silences.toSorted((a, b) => a.since - b.since || (placeOf(a) < placeOf(b) ? -1 : 1));

const placeOf = ({ workflowId, rule, triggerNodeId }: Silence): string =>
  JSON.stringify([workflowId, rule, triggerNodeId]);

const isSame = (one: Silence, other: Silence): boolean => placeOf(one) === placeOf(other);

const toNotice = ({ workflowId, rule, triggerNodeId }: Silence): NoticeIdentity & { nodeId?: string } => ({
  kind: 'silence',
  subject: `workflow:${workflowId}`,
  cause: triggerNodeId === null ? rule : `${rule}:${triggerNodeId}`,
  ...(triggerNodeId === null ? {} : { nodeId: triggerNodeId }),
});
