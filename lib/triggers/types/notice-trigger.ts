import {
  closed,
  defineTrigger,
  fieldsLike,
  isPlainObject,
  type JsonObject,
  Type,
} from '@hookloom/plugin-kit';
import { NOTICE_KINDS, NOTICE_TRIGGER } from '../../shared/notice-kinds.ts';

const message = {
  subject: 'orders fails at "pay": NodeError: the payment was refused',
  text: 'orders fails at "pay": NodeError: the payment was refused\n1 time, at 2026-01-01 00:00:02 UTC\nhookloom execution show l7Q1oP2i0xv9KcT5 --stage production',
  notices: [
    {
      kind: 'failure',
      subject: 'workflow:orders',
      workflowId: 'orders',
      nodeId: 'pay',
      cause: 'pay NodeError the payment was refused',
      message: 'NodeError: the payment was refused',
      count: 1,
      firstAt: '2026-01-01T00:00:02.000Z',
      lastAt: '2026-01-01T00:00:02.000Z',
      executionId: 'l7Q1oP2i0xv9KcT5',
      url: null,
      status: 'open',
    },
  ],
  more: 0,
};

const nothing = async (): Promise<void> => {};

const idList = (what: string) =>
  Type.Optional(
    Type.Array(Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' }), {
      minItems: 1,
      maxItems: 100,
      description: what,
    }),
  );

/** Fires with what needs attention on the stage, grouped by cause. Notices find it by its stored registration. */
export const noticeTrigger = defineTrigger({
  id: NOTICE_TRIGGER,
  name: 'Notice',
  description:
    'Starts the workflow with what is wrong on the stage, grouped by cause: at once, then in digests, and when it is over',
  parameters: Type.Object({
    kinds: Type.Optional(
      Type.Array(Type.Union(NOTICE_KINDS.map((kind) => Type.Literal(kind))), {
        minItems: 1,
        maxItems: NOTICE_KINDS.length,
        description: 'The kinds of notices that start it; by default all',
      }),
    ),
    workflows: idList(
      'Ids of the workflows that the notices are about; by default all others, credentials and variables',
    ),
    tags: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 50 }), {
        minItems: 1,
        maxItems: 20,
        description: 'Tags: only notices about workflows that have one of them',
      }),
    ),
    digestMinutes: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_440,
        default: 15,
        description:
          'How long a cause that was sent is only counted, until the next message about it; in minutes',
      }),
    ),
    consoleUrl: Type.Optional(
      Type.String({
        pattern: '^https?://[^\\s?#]+$',
        maxLength: 500,
        description:
          'Where the console is, for links: https://ops.example.com/console; by default the text has a command',
      }),
    ),
  }),
  literalParameters: ['kinds', 'workflows', 'tags', 'digestMinutes', 'consoleUrl'],
  outputs: {
    main: closed({ ...fieldsLike(message), triggeredAt: Type.String(), triggerType: Type.String() }),
  },
  firedBy: {
    register: nothing,
    unregister: nothing,
    toInput: (event) => readNotices(event).message as JsonObject,
    toKey: (event) => String(readNotices(event).key),
  },
  example: {
    parameters: { workflows: ['orders'] },
    input: message,
    output: { triggeredAt: '2026-01-01T00:00:00.000Z', triggerType: 'notice', ...message },
  },
  execute: ({ input, context }) => ({
    triggeredAt: new Date(context.services.clock.now()).toISOString(),
    triggerType: 'notice',
    ...input,
  }),
});

/** @throws TypeError if the event has no notices */
const readNotices = ({ notices }: JsonObject): JsonObject => {
  if (!isPlainObject(notices)) throw new TypeError('the event has no "notices"');
  return notices as JsonObject;
};
