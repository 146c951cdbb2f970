import type { FoundRegistration } from '@hookloom/plugin-kit';
import { findQuiet, type History } from './find-quiet.ts';

/** How long something may be late before it is reported: the retries of what delivers it, and its run. Milliseconds. */
export const GRACE_MS = 15 * 60_000;

/** What is known of a trigger. Null for what could not be found out. */
export interface TriggerFacts {
  readonly nodeId: string;
  /** What AWS has of its registration. */
  readonly registration: FoundRegistration | null;
  /** Whether it fired when it was due; `due` is milliseconds since the epoch. Null if it was not due yet. */
  readonly fired: { readonly due: number; readonly hasFired: boolean | null } | null;
  /** Since when and why its polls fail; null if they don't, or it does not poll. */
  readonly pollFailure: { readonly since: number; readonly message: string } | null;
  /** The latest execution of a workflow that only failures and notices start, if it ended badly; else null. */
  readonly badEnd: BadEnd | null;
}

interface BadEnd {
  readonly executionId: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly how: 'failed' | 'timed out';
}

/** What is known of an enabled workflow of which something is expected. */
export interface WorkflowFacts {
  readonly workflowId: string;
  /** Why its triggers can't be registered; null if they are. */
  readonly refusal: string | null;
  readonly triggers: readonly TriggerFacts[];
  /** Its setting `expect`; null if it has none, or has not been enabled for that long. */
  readonly expected: Expected | null;
  /** When its webhooks had requests; null if it has none, or says itself what to expect. */
  readonly history: History | 'unknown' | null;
}

export interface Expected {
  readonly atLeast: number;
  /** As it is written: `1 day`. */
  readonly every: string;
  /** How many have started within that time; null if this could not be found out. */
  readonly started: number | null;
}

/** Something that is wrong: since when, in milliseconds since the epoch, or null if only the sweep that sees it first knows. */
interface Finding {
  readonly since: number | null;
  /** What follows `Workflow "x": since TIME`, and what to do. */
  readonly what: string;
  readonly remedy: string;
}

/** `unknown`: the rule can't tell, so what it said before remains. */
type Outcome = Finding | 'fine' | 'unknown';

type Rules<Facts> = Readonly<Record<string, (facts: Facts, now: number) => Outcome>>;

const REGISTER_AGAIN = 'Disable and enable the workflow, which registers it again';

/** The first one that applies to a trigger is reported: the others follow from it. */
const TRIGGER_RULES = {
  missing: ({ registration }) =>
    toOutcome(registration, registration === 'missing', {
      since: null,
      what: 'has no registration in AWS: it was deleted there, and nothing fires the trigger',
      remedy: REGISTER_AGAIN,
    }),
  off: ({ registration }) =>
    toOutcome(registration, registration === 'off', {
      since: null,
      what: 'is switched off in AWS, and nothing fires it',
      remedy: `${REGISTER_AGAIN}, or switch it on there`,
    }),
  failingPoll: ({ pollFailure }, now) =>
    pollFailure === null || pollFailure.since > now - GRACE_MS
      ? 'fine'
      : {
          since: pollFailure.since,
          what: `can't poll: ${pollFailure.message}`,
          remedy: 'The next poll that succeeds ends this',
        },
  tellsNobody: ({ badEnd }) =>
    badEnd === null
      ? 'fine'
      : {
          since: badEnd.at,
          what: `its latest execution ${badEnd.how}, so what it should tell reaches nobody`,
          remedy: `See hookloom execution show ${badEnd.executionId}. The next execution that succeeds ends this`,
        },
  late: ({ fired }) =>
    fired === null
      ? 'fine'
      : toOutcome(fired.hasFired, fired.hasFired === false, {
          since: fired.due,
          what: 'was due and has not fired',
          remedy: 'Look for its event among the dead letters of triggers, and in the log of dispatch',
        }),
} satisfies Rules<TriggerFacts>;

/** Applied only if no rule of a trigger applies. */
const WORKFLOW_RULES = {
  refused: ({ refusal }) =>
    refusal === null
      ? 'fine'
      : {
          since: null,
          what: `its triggers can't be registered: ${refusal}`,
          remedy: 'Correct it and put the workflow again',
        },
  below: ({ expected }) =>
    expected === null
      ? 'fine'
      : toOutcome(expected.started, expected.started !== null && expected.started < expected.atLeast, {
          since: null,
          what: `fewer than ${expected.atLeast} ${expected.atLeast === 1 ? 'execution starts' : 'executions start'} in ${expected.every}, as settings.expect says`,
          remedy: 'Look at what starts it',
        }),
  quiet: ({ history }, now) => {
    if (history === 'unknown') return 'unknown';
    const quiet = history === null ? null : findQuiet(history, now);
    return quiet === null
      ? 'fine'
      : {
          since: quiet.since,
          what: `its webhooks get no requests, after pauses of at most ${quiet.longestGapHours} hours in the four weeks before`,
          remedy: 'Ask the sender; set settings.expect to false if this is normal',
        };
  },
} satisfies Rules<WorkflowFacts>;

const toOutcome = (known: unknown, applies: boolean, finding: Finding): Outcome =>
  known === null ? 'unknown' : applies ? finding : 'fine';

/** A silence: about a workflow, and by its rule and trigger the same one as long as it lasts. */
export interface Silence {
  readonly workflowId: string;
  /** The trigger; null if it is the whole workflow. */
  readonly triggerNodeId: string | null;
  readonly rule: keyof typeof TRIGGER_RULES | keyof typeof WORKFLOW_RULES;
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly message: string;
}

/** A silence as answers show it, beside its workflow. */
export const toShownSilence = ({ triggerNodeId, rule, since, message }: Silence) => ({
  triggerNodeId,
  rule,
  since: new Date(since).toISOString(),
  message,
});

/**
 * What is silent about a workflow: for each trigger the first rule that applies, or else the first rule of the workflow.
 *
 * @param open - what was found before: it keeps its time, and remains while its rule can't tell
 */
export const findSilences = (
  facts: WorkflowFacts,
  open: readonly Silence[],
  now: number,
): readonly Silence[] => {
  const own = open.filter(({ workflowId }) => workflowId === facts.workflowId);
  const ofTriggers = facts.triggers.flatMap((trigger) =>
    applyRules(TRIGGER_RULES, trigger, { ...facts, triggerNodeId: trigger.nodeId, own, now }),
  );
  return ofTriggers.length > 0
    ? ofTriggers
    : applyRules(WORKFLOW_RULES, facts, { ...facts, triggerNodeId: null, own, now });
};

interface Place extends Pick<Silence, 'workflowId' | 'triggerNodeId'> {
  readonly own: readonly Silence[];
  readonly now: number;
}

/** @returns the silence by the first rule that applies; none if all are fine */
const applyRules = <Facts>(
  rules: Rules<Facts>,
  facts: Facts,
  { workflowId, triggerNodeId, own, now }: Place,
): readonly Silence[] => {
  for (const [name, apply] of Object.entries(rules)) {
    const rule = name as Silence['rule'];
    const before = own.find((one) => one.rule === rule && one.triggerNodeId === triggerNodeId);
    const outcome = apply(facts, now);
    if (outcome === 'fine' || (outcome === 'unknown' && before === undefined)) continue;
    if (outcome === 'unknown') return before === undefined ? [] : [before];
    const since = before?.since ?? outcome.since ?? now;
    const place = { workflowId, triggerNodeId };
    return [{ ...place, rule, since, message: toSentence(place, outcome, since) }];
  }
  return [];
};

const MAX_LENGTH = 300;

const toSentence = (
  { workflowId, triggerNodeId }: Pick<Silence, 'workflowId' | 'triggerNodeId'>,
  { what, remedy }: Finding,
  since: number,
): string => {
  const subject =
    triggerNodeId === null
      ? `Workflow "${workflowId}"`
      : `Trigger "${triggerNodeId}" of workflow "${workflowId}"`;
  const at = `${new Date(since).toISOString().slice(0, 16)}Z`;
  const end = `. ${remedy}.`;
  const start = `${subject}, since ${at}: ${what}`;
  const room = MAX_LENGTH - end.length;
  return `${start.length <= room ? start : `${start.slice(0, room - 1)}…`}${end}`;
};
