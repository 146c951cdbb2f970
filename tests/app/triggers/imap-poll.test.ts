import type { JsonObject } from '@hookloom/plugin-kit';
import { afterEach, describe, expect, test } from '@jest/globals';
import { aPollService, aPollWorkflow } from '../../support/a-poll-service.ts';
import { useTestAuthority } from '../../support/a-tls-server.ts';
import { anImapServer } from '../../support/an-imap-server.ts';
import { cases } from '../../support/deep.ts';
import { useTestDatabases } from '../../support/test-database.ts';

const openDatabase = useTestDatabases();
useTestAuthority();
const open: (() => Promise<void>)[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((close) => close()));
});

/** A mailbox, and a service that polls it. */
const aMailbox = async (parameters: JsonObject = {}) => {
  const server = await anImapServer();
  open.push(server.close);
  const service = await aPollService(await openDatabase());
  await service.putCredential('mailbox', 'imap', {
    host: '127.0.0.1',
    port: String(server.port),
    security: 'tls',
    username: 'ann',
    password: 'right-password',
  });
  await service.put(aPollWorkflow(parameters, { type: 'imapTrigger', credentialId: 'mailbox' }));
  return { ...service, server };
};

const key = (uid: number) => `INBOX/7/${uid}`;

// holds: mail-once
test('each mail starts one execution, and is marked as seen once that is stored', async () => {
  const { server, poll, started, records, inputOf, result } = await aMailbox({ markSeen: true });
  server.receive();
  await poll();
  expect(await started()).toEqual([]);
  server.receive({ subject: 'Invoice' });
  server.receive();
  await poll();
  expect(await started()).toEqual([[key(2)], [key(3)]]);
  const inputs = await Promise.all((await records()).map(inputOf));
  expect(inputs).toContainEqual({
    item: expect.objectContaining({ uid: 2, subject: 'Invoice', text: expect.stringMatching(/^Text 2/) }),
    key: key(2),
    polledAt: expect.any(String),
  });
  expect(server.flags()).toEqual([[], [], []]);
  await poll();
  expect(server.flags()).toEqual([[], ['\\Seen'], ['\\Seen']]);
  expect(await started()).toHaveLength(2);
  expect(await result()).toMatchObject({
    found: 0,
    position: { mailbox: 'INBOX', uidValidity: '7', uid: 3 },
  });
});

test('mails that are too many for one poll start executions in the next ones', async () => {
  const { server, poll, started } = await aMailbox({ maxMails: 2, firstPoll: 'all', perBatch: true });
  for (let mail = 0; mail < 5; mail++) server.receive();
  await poll();
  await poll();
  await poll();
  expect(await started()).toEqual([[key(1), key(2)], [key(3), key(4)], [key(5)]]);
});

test('a poll that fails is a failed execution, and the next one catches up', async () => {
  const { server, poll, started, records } = await aMailbox();
  await poll();
  server.receive();
  const breaking = setInterval(server.breakAll, 1);
  await poll();
  clearInterval(breaking);
  expect(await records()).toMatchObject([{ status: 'failed', failure: { name: 'ImapError' } }]);
  await poll();
  expect((await started()).flat()).toContain(key(1));
});

/** Calls from one kill to the next. */
const STEP = cases(6, 1);

describe.each([false, true])('a process that is killed at any call (per batch: %s)', (perBatch) => {
  // holds: mail-once
  test.each(['by its repetition', 'by the next poll'])(
    'loses no mail and starts none twice, completed %s',
    async (how) => {
      let kills = 0;
      for (let calls = 0; ; calls += STEP) {
        const box = await aMailbox({ perBatch, markSeen: true, maxMails: 2 });
        box.server.receive();
        await box.poll('first');
        for (let mail = 0; mail < 3; mail++) box.server.receive();
        const made = await box.killAfter(calls, () => box.poll('killed'));
        box.server.receive();
        if (how === 'by the next poll') box.clock.advance(16 * 60_000);
        else await box.poll('killed');
        for (const due of ['next', 'later', 'last']) await box.poll(due);
        expect([calls, ...(await box.started()).flat().sort()]).toEqual([
          calls,
          key(2),
          key(3),
          key(4),
          key(5),
        ]);
        expect(box.server.flags().slice(1)).toEqual(Array(4).fill(['\\Seen']));
        if (made !== null) break;
        kills += 1;
      }
      expect(kills).toBeGreaterThan(1);
    },
  );
});
