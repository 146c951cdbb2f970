import type { Clock, Logger } from '@hookloom/plugin-kit';
import { workThrough } from '../shared/work-through.ts';
import { findExpiries, noticesOf } from './find-expiries.ts';
import { type Notice, type Notices, noticeIdOf } from './notices/notice.ts';
import { type FactPorts, readFacts } from './silence/read-facts.ts';
import { findSilences, type Silence } from './silence/silence-rules.ts';
import type { WatchedWorkflow } from './silence/watch-workflows.ts';
import type { ListExpiring, Standing, StandingStore } from './standing-store.ts';

export interface StandingParts extends FactPorts {
  readonly standing: StandingStore;
  readonly notices: Notices;
  readonly listExpiring: ListExpiring;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Logger;
}

/** How many workflows are looked at concurrently. */
const WORKFLOWS_AT_ONCE = 5;

const DAY_MS = 86_400_000;

/** All have room in an item; what was found first is kept. */
const MAX_SILENCES = 200;
const MAX_EXPIRIES = 200;

/**
 * Looks for silence in the watched workflows, and for what expires, and raises and settles notices for what has changed.
 * Nothing is written if nothing has.
 *
 * @param hasTime - whether there is time for another workflow; what is known of the others remains
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const findStanding = async (
  watched: readonly WatchedWorkflow[],
  { standing, notices, listExpiring, clock, logger, ...ports }: StandingParts,
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
  const expiries = await listExpiring()
    .then((expiring) => findExpiries(expiring, now).slice(0, MAX_EXPIRIES))
    .catch((cause: unknown) => {
      logger.error('What expires could not be found out.', { cause });
      return before.expiries;
    });
  const after = { silences, expiries, historyReadAt: isDaily && isWhole ? now : before.historyReadAt };
  const [earlier, current] = [noticesIn(before), noticesIn(after)];
  for (const [id, notice] of current) if (!earlier.has(id)) await notices.raise({ ...notice, at: now });
  for (const [id, notice] of earlier) if (!current.has(id)) await notices.settle(notice, now);
  if (JSON.stringify(after) !== JSON.stringify(before)) await standing.put(after);
};

const oldestFirst = (silences: readonly Silence[]): readonly Silence[] =>
  silences.toSorted((a, b) => a.since - b.since || (placeOf(a) < placeOf(b) ? -1 : 1));

const placeOf = ({ workflowId, rule, triggerNodeId }: Silence): string =>
  JSON.stringify([workflowId, rule, triggerNodeId]);

/** The notices of what stands, by their ids. */
const noticesIn = ({ silences, expiries }: Standing): ReadonlyMap<string, Omit<Notice, 'at'>> => {
  const notices = [...silences.map(toNotice), ...expiries.flatMap(noticesOf)];
  return new Map(notices.map((notice) => [noticeIdOf(notice), notice]));
};

const toNotice = ({ workflowId, rule, triggerNodeId, message }: Silence): Omit<Notice, 'at'> => ({
  kind: 'silence',
  subject: `workflow:${workflowId}`,
  cause: triggerNodeId === null ? rule : `${rule}:${triggerNodeId}`,
  message,
  ...(triggerNodeId === null ? {} : { nodeId: triggerNodeId }),
});
